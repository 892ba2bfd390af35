import { createStore } from "zustand/vanilla";

interface Visible {
  id: string | null;
  /** Sub-agents whose cards stand in the conversation on screen. */
  children: readonly string[];
}

/** The session on screen: its own cards and those of its sub-agents stand there, the tray shows all others. */
export const visibleSession = createStore<Visible>(() => ({ id: null, children: [] }));

export const isVisible = ({ id, children }: Visible, sessionId: string): boolean =>
  sessionId === id || children.includes(sessionId);

/** Until the returned function is called, the tray leaves this session's cards to the page. */
export function hideFromTray(sessionId: string): () => void {
  visibleSession.setState(({ children }) => ({ children: [...children, sessionId] }));
  return () =>
    visibleSession.setState(({ children }) => {
      const at = children.indexOf(sessionId);
      return { children: children.filter((_, index) => index !== at) };
    });
}
