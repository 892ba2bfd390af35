import { type FormEvent, useState } from "react";
import { createInvitation, type IssuedInvitation, type RoleName } from "../api/teams";
import { FieldsProblem } from "../ui/FieldsProblem";
import { Icon } from "../ui/Icon";
import { OptionList } from "../ui/OptionList";
import { TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";
import { ROLE_HINTS, ROLE_LABELS, rolesToGive } from "./roles";
import type { Team } from "./tabProps";

interface InviteFormProps {
  team: Team;
  onIssued: (made: IssuedInvitation) => void;
}

export function InviteForm({ team, onIssued }: InviteFormProps) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<RoleName>("member");
  const [mayApprove, setMayApprove] = useState(true);
  const { run, busy, error } = useAction();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await run(async () => {
      onIssued(await createInvitation(team.id, { email: email.trim(), role, may_approve: mayApprove }));
      setEmail("");
    });
  };
  return (
    <form className="invite-form" onSubmit={submit} aria-label="Invite a person">
      <TextField
        label="E-mail address"
        type="email"
        required
        maxLength={254}
        autoComplete="off"
        value={email}
        onText={setEmail}
      />
      <label className="field">
        <span>Role</span>
        <select value={role} onChange={(event) => setRole(event.target.value as RoleName)}>
          <OptionList of={rolesToGive(team.role).map((name) => [name, ROLE_LABELS[name]])} />
        </select>
      </label>
      <button type="submit" className="button primary" disabled={busy}>
        <Icon name="plus" size={14} /> Invite
      </button>
      <p className="muted full-row cluster gap-16 gap-y-4">
        {ROLE_HINTS[role]}
        {role === "member" && (
          <label className="line gap-6 text-normal">
            <input
              type="checkbox"
              checked={mayApprove}
              onChange={(event) => setMayApprove(event.target.checked)}
            />
            Can decide permission requests
          </label>
        )}
      </p>
      {error !== null && <FieldsProblem error={error} />}
    </form>
  );
}
