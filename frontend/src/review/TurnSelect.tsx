import { useEffect, useState } from "react";
import { useShallow } from "zustand/react/shallow";
import { messageText } from "../conversation/layout";
import { useLoadedUntil } from "../conversation/useLoadedUntil";
import { useConnection, useLive } from "../store/SessionContext";
import { shownTurnIds } from "../store/shown";
import type { SessionState } from "../store/state";

const EARLIER = "earlier";
const LABEL_CHARACTERS = 48;

interface TurnSelectProps {
  /** The id of a turn; empty for the whole session. */
  chosen: string;
  onChoose: (turnId: string) => void;
}

/** Chooses between the whole session and the changes of one turn. Turns that are not here yet are loaded on request. */
export function TurnSelect({ chosen, onChoose }: TurnSelectProps) {
  const turnIds = useLive(useShallow(shownTurnIds));
  const labels = useLive(useShallow((state) => shownTurnIds(state).map((id) => labelOf(state, id))));
  const earlier = useEarlierTurns();
  useLoadedUntil(chosen, turnIds.includes(chosen));
  if (turnIds.length < 2 && !chosen && !earlier.mayLoad) return null;
  return (
    <label className="inline gap-6 small review-turn">
      <span className="sr-only">Changes of</span>
      <select
        className="inline-select"
        value={chosen}
        onChange={({ target }) => (target.value === EARLIER ? earlier.load() : onChoose(target.value))}
      >
        <option value="">Whole session</option>
        {earlier.mayLoad && (
          <option value={EARLIER} disabled={earlier.isLoading}>
            {earlier.isLoading ? "Loading earlier turns…" : "Load earlier turns"}
          </option>
        )}
        {chosen && !turnIds.includes(chosen) && <option value={chosen}>One turn</option>}
        {turnIds.map((id, index) => (
          <option key={id} value={id}>
            {labels[index]}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Loads pages of older messages until a turn more is here, or all are. */
function useEarlierTurns() {
  const { loadOlder } = useConnection();
  const older = useLive((state) => state.older);
  const isLoading = useLive((state) => state.isLoadingOlder);
  const failed = useLive((state) => state.olderError !== null);
  const count = useLive((state) => shownTurnIds(state).length);
  const [wanted, setWanted] = useState(0);
  useEffect(() => {
    if (count < wanted && older !== null && !isLoading && !failed) void loadOlder();
  }, [count, wanted, older, isLoading, failed, loadOlder]);
  return {
    mayLoad: older !== null,
    isLoading: isLoading && count < wanted,
    load: () => {
      setWanted(count + 1);
      if (failed) void loadOlder();
    },
  };
}

/** The beginning of the turn's prompt. */
function labelOf(state: SessionState, turnId: string): string {
  const prompt = (state.messageIdsByTurn[turnId] ?? []).find((id) => state.messages[id]?.role === "user");
  const text = (prompt ? messageText(state, prompt) : "").trim().replace(/\s+/g, " ");
  const label = text.length > LABEL_CHARACTERS ? `${text.slice(0, LABEL_CHARACTERS - 1)}…` : text;
  const turn = state.turns[turnId];
  return `Turn: ${label || "without a prompt"}${turn?.ended_at === null ? " (running)" : ""}`;
}
