import { useStore } from "zustand";
import { useMe } from "../app/queries";
import { close, shellStore } from "../app/shellStore";
import { Dialog } from "../ui/Dialog";
import { CreateProject } from "./CreateProject";
import { teamsWithCreation } from "./teams";

const shut = () => close("newProject");

export function CreateProjectDialog() {
  const isOpen = useStore(shellStore, (state) => state.newProject);
  const teams = teamsWithCreation(useMe().data?.teams ?? []);
  return (
    <Dialog open={isOpen} onClose={shut} title="Create a project">
      <CreateProject teams={teams} onClose={shut} />
    </Dialog>
  );
}
