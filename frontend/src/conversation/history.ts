// The prompts of a session that ArrowUp and ArrowDown bring back into the prompt box. Pure functions.
import type { SessionState } from "../store/state";
import { messageText } from "./layout";

/** Returns the texts that people sent in the session, the oldest first, without repetitions in a row. */
export function sentPrompts(state: SessionState): string[] {
  const texts = Object.values(state.messages)
    .filter((message) => message.role === "user")
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((message) => messageText(state, message.id).trim())
    .filter(Boolean);
  return texts.filter((text, index) => text !== texts[index - 1]);
}

export interface Browsing {
  /** Index of the shown prompt in the list of sent ones. */
  at: number;
  /** What was typed before. */
  typed: string;
}

/**
 * Returns what ArrowUp (-1) or ArrowDown (1) shows: an earlier or later prompt, or in the end what was typed; null if the
 * key moves the caret. It does so in a text that is neither empty nor an unchanged earlier prompt.
 */
export function step(
  sent: readonly string[],
  draft: string,
  browsing: Browsing | null,
  direction: -1 | 1,
): { text: string; browsing: Browsing | null } | null {
  const unchanged = browsing && sent[browsing.at] === draft ? browsing : null;
  if (!unchanged && (draft !== "" || direction === 1)) return null;
  const typed = unchanged?.typed ?? draft;
  const at = (unchanged?.at ?? sent.length) + direction;
  if (at >= sent.length) return { text: typed, browsing: null };
  const text = sent[at];
  return text === undefined ? null : { text, browsing: { at, typed } };
}
