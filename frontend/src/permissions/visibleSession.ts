import { createStore } from "zustand/vanilla";

interface Visible {
  id: string | null;
  /** Sessions of sub-agents whose cards are shown in the conversation on screen. */
  children: readonly string[];
}

/** The session on screen. It shows its own cards and those of its sub-agents; the tray shows all others. */
export const visibleSession = createStore<Visible>(() => ({ id: null, children: [] }));

export const isVisible = ({ id, children }: Visible, sessionId: string): boolean =>
  sessionId === id || children.includes(sessionId);

/** Hides this session's cards from the tray until the returned function is called. */
export function hideFromTray(sessionId: string): () => void {
  visibleSession.setState(({ children }) => ({ children: [...children, sessionId] }));
  return () =>
    visibleSession.setState(({ children }) => {
      const at = children.indexOf(sessionId);
      return { children: children.filter((_, index) => index !== at) };
    });
}
