import { createStore } from "zustand/vanilla";

/** The session on screen: its own cards stand in its conversation, the tray shows all others. */
export const visibleSession = createStore<{ id: string | null }>(() => ({ id: null }));
