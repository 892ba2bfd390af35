import { useRef, useState } from "react";
import { readRequest, replyPermission } from "../api/endpoints";
import { ApiError } from "../api/http";
import type { PermissionReply, PermissionRequest } from "../api/types";
import { refreshWaiting } from "../app/queries";
import { answered } from "./answered";

const wasAlreadyAnswered = (problem: unknown): boolean =>
  problem instanceof ApiError && problem.status === 409;

/** Sends the answer to a request. If somebody else answered first, the card shows their answer. */
export function useReply(request: PermissionRequest) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const sent = useRef(false);
  const showOutcome = async () => {
    try {
      answered.getState().publish(await readRequest(request.id));
    } catch {
      // The event brings it as well.
    }
  };
  const reply = async (answer: PermissionReply) => {
    if (sent.current) return;
    sent.current = true;
    setBusy(true);
    setError(null);
    try {
      answered.getState().publish(await replyPermission(request.id, answer));
    } catch (problem) {
      setError(problem);
      sent.current = wasAlreadyAnswered(problem);
      if (wasAlreadyAnswered(problem)) await showOutcome();
    } finally {
      setBusy(false);
      refreshWaiting();
    }
  };
  return { reply, busy, error };
}
