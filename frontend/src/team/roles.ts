// Labels and hints of roles, and who can manage whom.
import type { RoleName } from "../api/teams";

export const ROLES: readonly RoleName[] = ["owner", "admin", "member", "viewer"];

export const ROLE_LABELS: Record<RoleName, string> = {
  owner: "Owner",
  admin: "Admin",
  member: "Member",
  viewer: "Viewer",
};

export const ROLE_HINTS: Record<RoleName, string> = {
  owner: "Can do everything, including managing owners.",
  admin: "Manages people, projects, policies, providers and budgets.",
  member: "Works with agents in every project.",
  viewer: "Can view everything, but change nothing.",
};

/** Owners manage everybody; admins manage everybody except owners. */
export const mayManage = (own: RoleName, other: RoleName): boolean =>
  own === "owner" || (own === "admin" && other !== "owner");

export const rolesToGive = (own: RoleName): RoleName[] => ROLES.filter((role) => mayManage(own, role));
