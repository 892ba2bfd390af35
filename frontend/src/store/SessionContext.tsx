import { createContext, useContext } from "react";
import { useStore } from "zustand";
import type { LiveSession, SessionConnection } from "./session";

const Context = createContext<SessionConnection | null>(null);

export const SessionProvider = Context.Provider;

export function useConnection(): SessionConnection {
  const connection = useContext(Context);
  if (!connection) throw new Error("outside of a session page");
  return connection;
}

/** The part of the session that `select` picks; the component renders again only when that changes. */
export const useLive = <T,>(select: (state: LiveSession) => T): T => useStore(useConnection().store, select);
