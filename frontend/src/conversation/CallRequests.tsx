import { useEffect, useState } from "react";
import type { PermissionRequest } from "../api/types";
import { usePerson } from "../app/person";
import { PermissionCard } from "../permissions/PermissionCard";
import { QuestionCard } from "../permissions/QuestionCard";
import { outcomeText } from "../permissions/requestLabels";
import { useLive } from "../store/SessionContext";
import "./Conversation.css";

/**
 * The permission request or question that a tool call waits for, or its answer if somebody else answered
 * while it was shown.
 */
export function CallRequests({ callId, waits }: { callId: string; waits: boolean }) {
  const request = useLive((state) => currentRequest(Object.values(state.requests), callId));
  const question = useLive((state) =>
    Object.values(state.questions).find((item) => item.call_id === callId && item.state === "open"),
  );
  const projectId = useLive((state) => state.session?.project_id);
  const canAct = useLive((state) => state.canAct);
  const isOpen = waits && request?.state === "open";
  const [seenOpen, setSeenOpen] = useState(false);
  useEffect(() => {
    if (isOpen) setSeenOpen(true);
  }, [isOpen]);
  if (isOpen) return <PermissionCard request={request} projectId={projectId} canAct={canAct} />;
  if (waits && question) return <QuestionCard question={question} projectId={projectId} canAct={canAct} />;
  if (seenOpen && request) return <AnsweredElsewhere request={request} projectId={projectId} />;
  return null;
}

/** The call's open request, or else its last: a call that ran may ask again about what it was refused. */
function currentRequest(requests: PermissionRequest[], callId: string): PermissionRequest | undefined {
  const own = requests.filter((item) => item.call_id === callId);
  return own.find((item) => item.state === "open") ?? own.at(-1);
}

function AnsweredElsewhere({
  request,
  projectId,
}: {
  request: PermissionRequest;
  projectId: string | undefined;
}) {
  const me = usePerson(projectId);
  if (request.state === "open" || request.answered_by?.id === me.id) return null;
  return (
    <p className="settled-note small muted" role="status" data-testid="settled-elsewhere">
      {outcomeText(request)}
    </p>
  );
}
