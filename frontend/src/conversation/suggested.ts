// A text that another part of the page puts into the prompt box of a session: a command of the palette.
import { createStore } from "zustand/vanilla";

interface Suggested {
  sessionId: string;
  text: string;
}

/** The text until the prompt box of its session has taken it. */
export const suggestedStore = createStore<{ waiting: Suggested | null }>(() => ({ waiting: null }));

export const suggestText = (sessionId: string, text: string): void =>
  suggestedStore.setState({ waiting: { sessionId, text } });

/** Returns the text for a session's prompt box, once. */
export function takeSuggested(sessionId: string): string | null {
  const { waiting } = suggestedStore.getState();
  if (waiting?.sessionId !== sessionId) return null;
  suggestedStore.setState({ waiting: null });
  return waiting.text;
}
