import type { Me } from "../api/types";
import { isAdmin } from "../permissions/approvers";

/** Returns the teams in which the person can create projects. */
export const teamsWithCreation = (teams: Me["teams"]): Me["teams"] =>
  teams.filter((team) => isAdmin(team.role) && !team.remove_at);
