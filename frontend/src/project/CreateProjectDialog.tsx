import { useStore } from "zustand";
import { useMe } from "../app/queries";
import { close, shellStore } from "../app/shellStore";
import { Dialog } from "../ui/Dialog";
import { CreateProject } from "./CreateProject";
import { teamsWithCreation } from "./teams";

function shut(): void {
  close("newProject");
  shellStore.setState({ newProjectTeam: "" });
}

export function CreateProjectDialog() {
  const isOpen = useStore(shellStore, (state) => state.newProject);
  const teamId = useStore(shellStore, (state) => state.newProjectTeam);
  const teams = teamsWithCreation(useMe().data?.teams ?? []);
  return (
    <Dialog open={isOpen} onClose={shut} title="Create a project">
      <CreateProject teams={teams} teamId={teamId} onClose={shut} />
    </Dialog>
  );
}
