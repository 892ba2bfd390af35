import { useState } from "react";
import { useLocation } from "wouter";
import { createSession } from "../api/endpoints";
import type { NewSession } from "../api/types";
import { refreshSessions } from "./queries";

/** Creates a session and opens it. `isPrivate` applies to one session and is then reset. */
export function useNewSession(projectId: string | undefined) {
  const [, go] = useLocation();
  const [busy, setBusy] = useState(false);
  const [isPrivate, setPrivate] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const create = async (options: NewSession = {}) => {
    if (!projectId || busy) return;
    setBusy(true);
    setError(null);
    try {
      const session = await createSession(projectId, {
        ...options,
        ...(isPrivate ? { shared_with: "private" } : {}),
      });
      setPrivate(false);
      refreshSessions();
      go(`/sessions/${session.id}`);
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  return { create, busy, error, isPrivate, setPrivate };
}
