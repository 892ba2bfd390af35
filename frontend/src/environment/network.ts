// The next step after a refused host, and the policy that sets the network mode. Pure functions.
import type { ProjectNetwork, RefusedHost } from "../api/policyTypes";
import type { Project } from "../api/types";
import { policyPath } from "../policies/paths";

type Source = ProjectNetwork["source"];

export const SOURCE_TEXTS: Record<Source, string> = {
  default: "No policy sets a mode. This is the default.",
  site: "Set by the policy of the site.",
  team: "Set by the policy of the team.",
  project: "Set by the policy of this project.",
};

/** Returns the place whose policy sets the mode; the project if none does. */
export const policyOfMode = (source: Source, project: Pick<Project, "id" | "team_id">): string =>
  ({ default: project.id, site: "site", team: project.team_id, project: project.id })[source];

export interface NextStep {
  isAllowed: boolean;
  /** Who can allow the host, in a sentence. */
  text: string;
  label: string;
  /** Path of the page where it can be allowed; empty if this person cannot allow it there. */
  path: string;
}

const GRANTER_TEXTS: Record<ProjectNetwork["granter"], string> = {
  member: "Members can allow it when a command asks, admins with a rule.",
  admin: "An admin can allow it when a command asks, or with a rule.",
  nobody: "An admin can allow it with a rule.",
};

const nothing = (text: string, isAllowed = false): NextStep => ({ isAllowed, text, label: "", path: "" });
const change = (text: string, label: string, path: string): NextStep => ({
  isAllowed: false,
  text,
  label,
  path,
});

/** Returns who can allow a refused host, and where. */
export function nextStep(
  host: Pick<RefusedHost, "action" | "cause">,
  network: Pick<ProjectNetwork, "mode" | "source" | "granter">,
  project: Pick<Project, "id" | "team_id">,
  isAdmin: boolean,
): NextStep {
  if (host.cause === "address") return nothing("No rule can allow this address.");
  if (host.cause === "unreachable") return nothing("The host was not found or did not answer.");
  if (host.action === "allow") return nothing("It is allowed now.", true);
  if (network.mode === "none") {
    const path = policyPath(policyOfMode(network.source, project), "options");
    return change("An admin can set another mode.", "Change the mode", isAdmin ? path : "");
  }
  const rules = isAdmin ? policyPath(project.id, "rules") : "";
  return host.action === "deny"
    ? change("An admin can change the rule.", "View the rules", rules)
    : change(GRANTER_TEXTS[network.granter], "Allow with a rule", rules);
}
