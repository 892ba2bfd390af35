import { mayStart, type Person, type Role } from "../permissions/approvers";
import { useMe, useProject } from "./queries";

/** The signed-in person with their role in the project's team; null while that is not known. */
export function usePerson(projectId: string | undefined): Person {
  const me = useMe().data;
  const teamId = useProject(projectId).data?.team_id;
  const role: Role | null = me?.teams.find((team) => team.id === teamId)?.role ?? null;
  return { id: me?.user.id ?? "", role };
}

/** Until when the project, or its team, is out of use before it is gone; null while it is in use. */
export function useLeaving(projectId: string | undefined): string | null {
  const me = useMe().data;
  const project = useProject(projectId).data;
  const team = me?.teams.find((item) => item.id === project?.team_id);
  return project?.remove_at ?? team?.remove_at ?? null;
}

/** False for a viewer of the project's team, who starts nothing, and where nothing new starts. While the role is not
 * known, the server decides. */
export function useMayStart(projectId: string | undefined): boolean {
  const { role } = usePerson(projectId);
  return useLeaving(projectId) === null && mayStart(role);
}
