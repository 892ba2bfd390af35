import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import { createProject } from "../api/teams";
import type { Me } from "../api/types";
import { keys, queryClient } from "../app/queries";
import { isAdmin } from "../permissions/approvers";
import { Dialog } from "../ui/Dialog";
import { FieldsProblem } from "../ui/FieldsProblem";
import { Icon } from "../ui/Icon";
import { useAction } from "../ui/useAction";

/** Teams in which the person may create projects. */
export const teamsToCreateIn = (teams: Me["teams"]): Me["teams"] =>
  teams.filter((team) => isAdmin(team.role) && !team.remove_at);

export function CreateProjectButton({ teams }: { teams: Me["teams"] }) {
  const [asking, setAsking] = useState(false);
  if (teams.length === 0) return null;
  return (
    <>
      <button type="button" className="button" onClick={() => setAsking(true)}>
        <Icon name="plus" size={14} /> New project
      </button>
      <Dialog open={asking} onClose={() => setAsking(false)} title="Create a project">
        <CreateProject teams={teams} onClose={() => setAsking(false)} />
      </Dialog>
    </>
  );
}

function CreateProject({ teams, onClose }: { teams: Me["teams"]; onClose: () => void }) {
  const [, go] = useLocation();
  const [name, setName] = useState("");
  const [teamId, setTeamId] = useState(teams[0]?.id ?? "");
  const { run, busy, error } = useAction();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      const project = await createProject(teamId, { name });
      await queryClient.invalidateQueries({ queryKey: keys.projects });
      go(`/projects/${project.id}`);
    });
  };
  return (
    <form className="confirm" onSubmit={submit}>
      <label className="field">
        <span>Name</span>
        <input
          // biome-ignore lint/a11y/noAutofocus: the dialog was opened to write it
          autoFocus
          required
          maxLength={120}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      {teams.length > 1 && (
        <label className="field">
          <span>Team</span>
          <select value={teamId} onChange={(event) => setTeamId(event.target.value)}>
            {teams.map((team) => (
              <option key={team.id} value={team.id}>
                {team.name}
              </option>
            ))}
          </select>
        </label>
      )}
      {error !== null && <FieldsProblem error={error} />}
      <div className="confirm-foot">
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="button primary" disabled={busy || !name.trim()}>
          Create project
        </button>
      </div>
    </form>
  );
}
