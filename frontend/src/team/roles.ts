// The roles in the words of the people who give them.
import type { RoleName } from "../api/teams";

export const ROLES: readonly RoleName[] = ["owner", "admin", "member", "viewer"];

export const ROLE_WORDS: Record<RoleName, string> = {
  owner: "Owner",
  admin: "Admin",
  member: "Member",
  viewer: "Viewer",
};

export const ROLE_HINTS: Record<RoleName, string> = {
  owner: "Does everything, and makes and unmakes owners.",
  admin: "Manages people, projects, policies, providers and budgets.",
  member: "Works with agents in every project.",
  viewer: "Watches, and changes nothing.",
};

/** Admins manage everybody but owners. */
export const mayManage = (own: RoleName, other: RoleName): boolean =>
  own === "owner" || (own === "admin" && other !== "owner");

export const rolesToGive = (own: RoleName): RoleName[] => ROLES.filter((role) => mayManage(own, role));
