import { useEffect, useState } from "react";
import { keys, markSignedOut, queryClient } from "../app/queries";
import { connectSession, type SessionConnection } from "./session";

/** Connects to a session while the page is shown. Null before the first render is over. */
export function useSessionConnection(sessionId: string): SessionConnection | null {
  const [connection, setConnection] = useState<SessionConnection | null>(null);
  useEffect(() => {
    const opened = connectSession(sessionId, {
      onSignedOut: markSignedOut,
      onRefused: () => void queryClient.invalidateQueries({ queryKey: keys.me }),
    });
    setConnection(opened);
    return () => opened.close();
  }, [sessionId]);
  return connection;
}
