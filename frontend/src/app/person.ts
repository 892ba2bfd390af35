import { mayStart, type Person, type Role } from "../permissions/approvers";
import { useMe, useProject } from "./queries";

/**
 * Returns the signed-in person with their role in the project's team; the role is null while it is unknown.
 */
export function usePerson(projectId: string | undefined): Person {
  const me = useMe().data;
  const teamId = useProject(projectId).data?.team_id;
  const role: Role | null = me?.teams.find((team) => team.id === teamId)?.role ?? null;
  return { id: me?.user.id ?? "", role };
}

/** Returns when the deactivated project or team will be deleted; null if neither is being deleted. */
export function useDeletionDate(projectId: string | undefined): string | null {
  const me = useMe().data;
  const project = useProject(projectId).data;
  const team = me?.teams.find((item) => item.id === project?.team_id);
  return project?.remove_at ?? team?.remove_at ?? null;
}

/**
 * Whether the person can start sessions: not as a viewer, and not while the project is being deleted. True
 * while the role is unknown, as the server decides.
 */
export function useMayStart(projectId: string | undefined): boolean {
  const { role } = usePerson(projectId);
  return useDeletionDate(projectId) === null && mayStart(role);
}
