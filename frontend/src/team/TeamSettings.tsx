import { type FormEvent, useState } from "react";
import { renameTeam } from "../api/teams";
import { isAdmin } from "../permissions/approvers";
import { FieldsProblem } from "../ui/FieldsProblem";
import { useAction } from "../ui/useAction";
import { AuditRetention } from "./AuditRetention";
import { Ending } from "./Ending";
import { refreshMine } from "./queries";
import { Transfer } from "./Transfer";
import type { Team, TeamTabProps } from "./tabs";

export function TeamSettings({ team }: TeamTabProps) {
  return (
    <>
      <Name team={team} />
      <AuditRetention team={team} />
      {team.role === "owner" && !team.remove_at && <Transfer team={team} />}
      {team.role === "owner" && (
        <Ending id={team.id} name={team.name} kind="team" removeAt={team.remove_at} refresh={refreshMine} />
      )}
    </>
  );
}

function Name({ team }: { team: Team }) {
  const [name, setName] = useState(team.name);
  const { run, busy, error } = useAction();
  const mayChange = isAdmin(team.role) && !team.remove_at;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      await renameTeam(team.id, name);
      await refreshMine();
    });
  };
  return (
    <form className="settings-form" onSubmit={submit} aria-label="Name of the team">
      <label className="field">
        <span>Name</span>
        <input
          required
          maxLength={120}
          readOnly={!mayChange}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      {error !== null && <FieldsProblem error={error} />}
      {mayChange && (
        <button type="submit" className="button" disabled={busy || name.trim() === team.name}>
          Rename
        </button>
      )}
    </form>
  );
}
