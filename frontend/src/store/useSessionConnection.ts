import { useEffect, useState } from "react";
import { keys, markSignedOut, queryClient } from "../app/queries";
import { connectSession, type SessionConnection } from "./session";

let prepared: { sessionId: string; connection: SessionConnection } | null = null;

const connect = (sessionId: string): SessionConnection =>
  connectSession(sessionId, {
    onSignedOut: markSignedOut,
    onRefused: () => void queryClient.invalidateQueries({ queryKey: keys.me }),
  });

/** Connects to a session before its page is shown. The page takes the connection. */
export function prepareConnection(sessionId: string): void {
  prepared = { sessionId, connection: connect(sessionId) };
}

function takePrepared(sessionId: string): SessionConnection | null {
  const taken = prepared;
  prepared = null;
  if (taken?.sessionId === sessionId && taken.connection.store.getState().ended === null)
    return taken.connection;
  taken?.connection.close();
  return null;
}

/** Connects to a session while the page is shown. Null before the first render is over. */
export function useSessionConnection(sessionId: string): SessionConnection | null {
  const [connection, setConnection] = useState<SessionConnection | null>(null);
  useEffect(() => {
    const opened = takePrepared(sessionId) ?? connect(sessionId);
    setConnection(opened);
    return () => opened.close();
  }, [sessionId]);
  return connection;
}
