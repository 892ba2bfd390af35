import { useState } from "react";
import { Link, useLocation } from "wouter";
import { changeMember, type Member, type RoleName, removeMember } from "../api/teams";
import { useMe } from "../app/queries";
import { isAdmin, shownName } from "../permissions/approvers";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";
import { OptionList } from "../ui/OptionList";
import { PagedList } from "../ui/PagedList";
import { useAction } from "../ui/useAction";
import { teamPath } from "./paths";
import { refreshMembers, refreshOwnTeams, useMembers } from "./queries";
import { RemoveMember } from "./RemoveMember";
import { mayManage, ROLE_LABELS, rolesToGive } from "./roles";
import type { Team, TeamTabProps } from "./tabProps";
import "./members.css";

/** Members of the team and their roles. */
export function Members({ team }: TeamTabProps) {
  const members = useMembers(team.id);
  return (
    <>
      <p className="muted tab-intro">
        Owners and admins can always decide permission requests. For members, you can allow it below.
      </p>
      <PagedList
        query={members}
        label="Members"
        loading="Loading the members"
        placeholders={6}
        empty="No members."
        more="Show more members"
      >
        {(member) => <MemberRow key={member.id} member={member} team={team} />}
      </PagedList>
    </>
  );
}

function MemberRow({ member, team }: { member: Member; team: Team }) {
  const [, go] = useLocation();
  const [asking, setAsking] = useState(false);
  const { run, busy, error } = useAction();
  const isMe = useMe().data?.user.id === member.user.id;
  const mayChange = mayManage(team.role, member.role) && !member.is_service && !team.remove_at;
  const change = (what: { role?: RoleName; may_approve?: boolean }) =>
    void run(async () => {
      await changeMember(member.id, { role: what.role ?? null, may_approve: what.may_approve ?? null });
      await refreshMembers(team.id);
      if (isMe) await refreshOwnTeams();
    });
  const remove = async () => {
    await removeMember(member.id);
    if (isMe) {
      go("/");
      await refreshOwnTeams();
    } else await refreshMembers(team.id);
  };
  return (
    <li className="member-row ruled" data-testid="member-row">
      <span className="stack gap-0 break-anywhere">
        <span className="cluster gap-y-2 medium">
          {shownName(member.user)}
          {isMe && <span className="badge outlined">You</span>}
          {member.is_service && <span className="badge outlined">Service account</span>}
        </span>
        <Contact member={member} team={team} />
      </span>
      <DecisionRight member={member} mayChange={mayChange && !busy} onChange={change} />
      <RoleSelect member={member} own={team.role} mayChange={mayChange && !busy} onChange={change} />
      {(isMe || mayChange) && !member.is_service ? (
        <button type="button" className="button" disabled={busy} onClick={() => setAsking(true)}>
          {isMe ? "Leave…" : "Remove…"}
        </button>
      ) : (
        <span className="member-gap" />
      )}
      {error !== null && <Problem error={error} />}
      <RemoveMember
        member={member}
        isMe={isMe}
        teamName={team.name}
        asking={asking}
        onConfirm={remove}
        onClose={() => setAsking(false)}
      />
    </li>
  );
}

/** The e-mail address of a member, or a link to the tokens of a service account. */
function Contact({ member, team }: { member: Member; team: Team }) {
  if (member.is_service) {
    return isAdmin(team.role) ? (
      <Link href={teamPath(team.id, "tokens")} className="link">
        {" "}
        Manage tokens{" "}
      </Link>
    ) : null;
  }
  return member.user.name ? <span className="muted">{member.user.email}</span> : null;
}

interface ChangeProps {
  member: Member;
  mayChange: boolean;
  onChange: (what: { role?: RoleName; may_approve?: boolean }) => void;
}

function DecisionRight({ member, mayChange, onChange }: ChangeProps) {
  if (member.role === "viewer") return <span className="line gap-6 muted">Cannot decide requests</span>;
  if (member.role !== "member") {
    return (
      <span className="line gap-6 muted">
        <Icon name="check" size={14} /> Can decide requests
      </span>
    );
  }
  return (
    <label className="line gap-6">
      <input
        type="checkbox"
        checked={member.may_approve}
        disabled={!mayChange}
        onChange={(event) => onChange({ may_approve: event.target.checked })}
      />
      Can decide requests
    </label>
  );
}

function RoleSelect({ member, own, mayChange, onChange }: ChangeProps & { own: RoleName }) {
  if (!mayChange) return <span className="member-role muted">{ROLE_LABELS[member.role]}</span>;
  return (
    <select
      className="member-role"
      aria-label={`Role of ${shownName(member.user)}`}
      value={member.role}
      onChange={(event) => onChange({ role: event.target.value as RoleName })}
    >
      <OptionList of={rolesToGive(own).map((role) => [role, ROLE_LABELS[role]])} />
    </select>
  );
}
