import { useState } from "react";
import { type Invitation, type IssuedInvitation, resendInvitation, revokeInvitation } from "../api/teams";
import { formatAgo } from "../lib/format";
import { shownName } from "../permissions/approvers";
import { Problem } from "../ui/Notice";
import { PagedList } from "../ui/PagedList";
import { useAction } from "../ui/useAction";
import { InviteForm } from "./InviteForm";
import { IssuedLink } from "./IssuedLink";
import { refreshInvitations, useInvitations } from "./queries";
import { mayManage, ROLE_LABELS } from "./roles";
import type { Team, TeamTabProps } from "./tabProps";
import "./members.css";

/** Invitations to the team and their states. */
export function Invitations({ team }: TeamTabProps) {
  const invitations = useInvitations(team.id);
  const [issued, setIssued] = useState<IssuedInvitation | null>(null);
  const show = (made: IssuedInvitation) => {
    setIssued(made);
    void refreshInvitations(team.id);
  };
  return (
    <>
      {!team.remove_at && <InviteForm team={team} onIssued={show} />}
      {issued && <IssuedLink issued={issued} onClose={() => setIssued(null)} />}
      <PagedList
        query={invitations}
        label="Invitations"
        loading="Loading the invitations"
        placeholders={4}
        empty="Nobody was invited yet."
        more="Show older invitations"
      >
        {(row) => <InvitationRow key={row.id} invitation={row} team={team} onIssued={show} />}
      </PagedList>
    </>
  );
}

interface InvitationRowProps {
  invitation: Invitation;
  team: Team;
  onIssued: (made: IssuedInvitation) => void;
}

function InvitationRow({ invitation, team, onIssued }: InvitationRowProps) {
  const { run, busy, error } = useAction();
  const mayAct =
    mayManage(team.role, invitation.role) && (invitation.state === "open" || invitation.state === "expired");
  return (
    <li className="member-row ruled" data-testid="invitation-row" data-state={invitation.state}>
      <span className="stack gap-0 break-anywhere">
        <span className="cluster gap-y-2 medium">{invitation.email}</span>
        <span className="muted">
          {invitation.invited_by ? `By ${shownName(invitation.invited_by)}, ` : ""}
          {formatAgo(invitation.sent_at)}
        </span>
      </span>
      <span className="muted">{stateText(invitation)}</span>
      <span className="member-role muted">{ROLE_LABELS[invitation.role]}</span>
      {mayAct ? (
        <span className="flow">
          <button
            type="button"
            className="button"
            disabled={busy || !!team.remove_at}
            onClick={() => void run(async () => onIssued(await resendInvitation(invitation.id)))}
          >
            Send again
          </button>
          <button
            type="button"
            className="button"
            disabled={busy || !!team.remove_at}
            onClick={() =>
              void run(async () => {
                await revokeInvitation(invitation.id);
                await refreshInvitations(team.id);
              })
            }
          >
            {" "}
            Revoke{" "}
          </button>
        </span>
      ) : (
        <span className="member-gap" />
      )}
      {error !== null && <Problem error={error} />}
    </li>
  );
}

const STATE_LABELS: Record<Invitation["state"], string> = {
  open: "Open",
  expired: "Expired",
  accepted: "Accepted",
  revoked: "Revoked",
};

function stateText(invitation: Invitation): string {
  if (invitation.state !== "open") return STATE_LABELS[invitation.state];
  return `Open until ${new Date(invitation.expires_at).toLocaleDateString(undefined, { dateStyle: "medium" })}`;
}
