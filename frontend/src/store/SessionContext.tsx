import { createContext, useContext } from "react";
import { useStore } from "zustand";
import type { LiveSession, SessionConnection } from "./session";

const Context = createContext<SessionConnection | null>(null);

export const SessionProvider = Context.Provider;

export function useConnection(): SessionConnection {
  const connection = useContext(Context);
  if (!connection) throw new Error("useConnection needs a SessionProvider");
  return connection;
}

/** Selects a part of the session's state. The component renders again only when it changes. */
export const useLive = <T,>(select: (state: LiveSession) => T): T => useStore(useConnection().store, select);
