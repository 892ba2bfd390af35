// The turns that are part of the conversation: those of the chosen answers.
import type { SessionState } from "./state";

type Input = Pick<SessionState, "turnIds" | "alternatives">;

let last: { told: Input; ids: readonly string[] } | undefined;

/** Memoised, because it is called with every piece of streamed text. */
export function shownTurnIds({ turnIds, alternatives }: Input): readonly string[] {
  if (last && last.told.turnIds === turnIds && last.told.alternatives === alternatives) return last.ids;
  const ids = turnIds.filter((id) => !alternatives[id]?.hidden_with_id);
  last = { told: { turnIds, alternatives }, ids };
  return ids;
}
