import { type FormEvent, useState } from "react";
import { renameTeam } from "../api/teams";
import { isAdmin } from "../permissions/approvers";
import { FieldsProblem } from "../ui/FieldsProblem";
import { TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";
import { AuditRetention } from "./AuditRetention";
import { DeletionSection } from "./DeletionSection";
import { refreshOwnTeams } from "./queries";
import { Transfer } from "./Transfer";
import type { Team, TeamTabProps } from "./tabProps";

export function TeamSettings({ team }: TeamTabProps) {
  return (
    <>
      <TeamNameForm team={team} />
      <AuditRetention team={team} />
      {team.role === "owner" && !team.remove_at && <Transfer team={team} />}
      {team.role === "owner" && (
        <DeletionSection
          id={team.id}
          name={team.name}
          kind="team"
          removeAt={team.remove_at}
          refresh={refreshOwnTeams}
        />
      )}
    </>
  );
}

function TeamNameForm({ team }: { team: Team }) {
  const [name, setName] = useState(team.name);
  const { run, busy, error } = useAction();
  const mayChange = isAdmin(team.role) && !team.remove_at;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      await renameTeam(team.id, name);
      await refreshOwnTeams();
    });
  };
  return (
    <form className="settings-form stack items-start gap-16" onSubmit={submit} aria-label="Name of the team">
      <TextField label="Name" required maxLength={120} readOnly={!mayChange} value={name} onText={setName} />
      {error !== null && <FieldsProblem error={error} />}
      {mayChange && (
        <button type="submit" className="button" disabled={busy || name.trim() === team.name}>
          Rename
        </button>
      )}
    </form>
  );
}
