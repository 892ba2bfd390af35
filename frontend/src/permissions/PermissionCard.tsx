import { useId, useState } from "react";
import type { PermissionRequest, Reason, Scope } from "../api/types";
import { usePerson } from "../app/person";
import { visibleLine } from "../lib/visible";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";
import { useNow } from "../ui/useNow";
import { AnswerButtons } from "./AnswerButtons";
import { approvalText, expiryText, mayAnswer, scopesFor } from "./approvers";
import { NeedDetails } from "./NeedDetails";
import { RequestCard } from "./RequestCard";
import { ReasonText } from "./RuleLine";
import { grantsOf, outcomeText, requestHeading } from "./requestLabels";
import { useReply } from "./useReply";
import { WhyRow } from "./WhyRow";

interface CardProps {
  request: PermissionRequest;
  /** Determines the team, and so the role with which the person answers. */
  projectId: string | undefined;
  canAct: boolean;
  /** The card is shown outside of its session (in the tray), where single keys are off. */
  withoutKeys?: boolean;
}

export function PermissionCard({ request, projectId, canAct, withoutKeys = false }: CardProps) {
  return (
    <RequestCard
      kind="permission"
      id={request.id}
      state={request.state}
      icon="shield"
      title={requestHeading(request)}
    >
      {request.needs.map((need, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the needs of one request never change
        <NeedDetails key={index} need={need} />
      ))}
      <DecidingReasons reasons={request.reasons.filter((reason) => reason.action !== "allow")} />
      <WhyRow callId={request.call_id} state={request.state} />
      <AnswerSection request={request} projectId={projectId} canAct={canAct} withoutKeys={withoutKeys} />
    </RequestCard>
  );
}

function DecidingReasons({ reasons }: { reasons: Reason[] }) {
  return (
    <ul className="small muted break-anywhere">
      {reasons.map((reason) => (
        <li key={`${reason.permission} ${reason.pattern}`}>
          {reasons.length > 1 && <Subject reason={reason} />}
          <ReasonText reason={reason} />
        </li>
      ))}
    </ul>
  );
}

function Subject({ reason }: { reason: Reason }) {
  const named = reason.permission === "bash" ? reason.pattern : `${reason.permission} ${reason.pattern}`;
  return <span className="mono text-normal">{visibleLine(named)}: </span>;
}

/** Who may answer, until when, and the buttons; or the answer that was given. */
function AnswerSection({ request, projectId, canAct, withoutKeys = false }: CardProps) {
  const reasonId = useId();
  const person = usePerson(projectId);
  const scopes = scopesFor(request.scopes, person.role);
  const [chosen, setScope] = useState<Scope | null>(null);
  const scope = chosen ?? scopes[0] ?? "session";
  const { reply, busy, error } = useReply(request);
  if (request.state !== "open") return <p className="muted">{outcomeText(request)}</p>;
  const rights = mayAnswer(request, person, canAct);
  return (
    <>
      <RequestState request={request} />
      {canAct && (
        <AnswerButtons
          grants={scopes.length > 0 ? grantsOf(request) : []}
          scopes={scopes}
          scope={scope}
          onScope={setScope}
          busy={busy}
          withoutKeys={withoutKeys}
          reply={reply}
          rights={rights}
          reasonId={rights.may ? undefined : reasonId}
        />
      )}
      {!rights.may && (
        <p className="muted" id={reasonId}>
          {rights.why}
        </p>
      )}
      {error !== null && <Problem error={error} />}
    </>
  );
}

function RequestState({ request }: { request: PermissionRequest }) {
  const now = useNow(true);
  const approval = approvalText(request);
  const expiry = expiryText(request, now);
  if (!approval && !expiry) return null;
  return (
    <p className="flow gap-16 gap-y-4 small medium text-waiting" role="status">
      {approval && (
        <span className="inline">
          <Icon name="user" size={12} /> {approval}
        </span>
      )}
      {expiry && (
        <span className="inline">
          <Icon name="wait" size={12} /> {expiry}
        </span>
      )}
    </p>
  );
}
