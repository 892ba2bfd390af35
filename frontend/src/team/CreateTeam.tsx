import { useLocation } from "wouter";
import { useStore } from "zustand";
import { createTeam } from "../api/teams";
import { askForProject, close, shellStore } from "../app/shellStore";
import { Dialog } from "../ui/Dialog";
import { NameForm } from "../ui/NameForm";
import { refreshOwnTeams } from "./queries";

/** The dialog that creates a team. It is opened from the menu, the palette and the home page. */
export function CreateTeamDialog() {
  const isOpen = useStore(shellStore, (state) => state.newTeam);
  return (
    <Dialog open={isOpen} onClose={() => close("newTeam")} title="Create a team">
      <CreateTeam />
    </Dialog>
  );
}

function CreateTeam() {
  const [, go] = useLocation();
  const create = async (name: string) => {
    const team = await createTeam(name);
    await refreshOwnTeams();
    close("newTeam");
    go("/");
    askForProject(team.id);
  };
  return (
    <NameForm
      verb="Create team"
      intro="A team shares projects, sessions and policies. You will be its owner and can invite others."
      onName={create}
      onClose={() => close("newTeam")}
    />
  );
}
