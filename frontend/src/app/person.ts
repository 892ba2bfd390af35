import { mayStart, type Person, type Role } from "../permissions/approvers";
import { useMe, useProject } from "./queries";

/** The signed-in person with their role in the project's team; null while that is not known. */
export function usePerson(projectId: string | undefined): Person {
  const me = useMe().data;
  const teamId = useProject(projectId).data?.team_id;
  const role: Role | null = me?.teams.find((team) => team.id === teamId)?.role ?? null;
  return { id: me?.user.id ?? "", role };
}

/** False for a viewer of the project's team, who starts nothing. While the role is not known, the server decides. */
export const useMayStart = (projectId: string | undefined): boolean => mayStart(usePerson(projectId).role);
