import { useState } from "react";
import { useLocation } from "wouter";
import { createProject } from "../api/teams";
import type { Me } from "../api/types";
import { keys, queryClient } from "../app/queries";
import { isAdmin } from "../permissions/approvers";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { NameForm } from "../ui/NameForm";
import { OptionList } from "../ui/OptionList";

/** Returns the teams in which the person can create projects. */
export const teamsWithCreation = (teams: Me["teams"]): Me["teams"] =>
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
  const [teamId, setTeamId] = useState(teams[0]?.id ?? "");
  const create = async (name: string) => {
    const project = await createProject(teamId, { name });
    await queryClient.invalidateQueries({ queryKey: keys.projects });
    go(`/projects/${project.id}`);
  };
  return (
    <NameForm verb="Create project" onName={create} onClose={onClose}>
      {teams.length > 1 && (
        <label className="field">
          <span>Team</span>
          <select value={teamId} onChange={(event) => setTeamId(event.target.value)}>
            <OptionList of={teams.map((team) => [team.id, team.name])} />
          </select>
        </label>
      )}
    </NameForm>
  );
}
