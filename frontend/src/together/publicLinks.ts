// Reads whether the policies of site, team and project allow public share links.
import { useQueries } from "@tanstack/react-query";
import { readPolicy } from "../api/policies";
import type { Policy } from "../api/policyTypes";
import { useProject } from "../app/queries";
import { kindOf } from "../policies/document";
import { policyKeys } from "../policies/queries";

export interface PublicLinks {
  state: "loading" | "unknown" | "on" | "off";
  /** Why public links are off, in a sentence; empty if they are on. */
  why: string;
  /** The policy that forbids them, or in which they can be allowed. */
  place: string;
}

const PUBLIC_LINKS_ON: PublicLinks = { state: "on", why: "", place: "" };

type PolicyOptions = Pick<Policy, "place" | "options">;

/** Public links are off unless a policy allows them and no policy forbids them. */
export function publicLinks(policies: readonly PolicyOptions[], projectId: string): PublicLinks {
  const said = policies.filter((policy) => policy.options.public_share_links !== null);
  const against = said.find((policy) => policy.options.public_share_links === false);
  if (against) {
    const why = `The policy of the ${kindOf(against.place)} forbids public links.`;
    return { state: "off", why, place: against.place };
  }
  if (said.length > 0) return PUBLIC_LINKS_ON;
  const why = "Public links are off until an admin allows them in a policy.";
  return { state: "off", why, place: projectId };
}

/** If a policy cannot be read, the server decides when the link is created. */
export function usePublicLinks(projectId: string): PublicLinks {
  const project = useProject(projectId || undefined);
  const teamId = project.data?.team_id;
  const places = teamId ? ["site", teamId, projectId] : [];
  const answers = useQueries({
    queries: places.map((place) => ({
      queryKey: policyKeys.policy(place),
      queryFn: () => readPolicy(place),
      retry: false,
    })),
  });
  const policies = answers.flatMap((answer) => (answer.data ? [answer.data] : []));
  const known = publicLinks(policies, projectId);
  if (policies.some((policy) => policy.options.public_share_links === false)) return known;
  if (project.isPending || answers.some((answer) => answer.isPending))
    return { ...PUBLIC_LINKS_ON, state: "loading" };
  return project.error || policies.length < places.length ? { ...PUBLIC_LINKS_ON, state: "unknown" } : known;
}
