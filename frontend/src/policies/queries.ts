// Queries of the policy pages and their keys.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import * as api from "../api/policies";
import type { Policy, PolicyDocument } from "../api/policyTypes";
import { queryClient } from "../app/queries";
import { usePages } from "../lib/usePages";

export const policyKeys = {
  policy: (place: string) => ["policies", place],
  versions: (place: string) => ["policies", place, "versions"],
  version: (place: string, version: number, against: number) => [
    "policies",
    place,
    "versions",
    version,
    against,
  ],
  check: (place: string, document: PolicyDocument) => ["policies", place, "check", document],
  grants: ({ of, id }: api.GrantScope) => ["grants", of, id],
  network: (projectId: string) => ["grants", "network", projectId], // it shows grants too
  audit: (teamId: string, filter: api.AuditFilter) => ["audit", teamId, filter],
} as const;

export const usePolicy = (place: string) =>
  useQuery({ queryKey: policyKeys.policy(place), queryFn: () => api.readPolicy(place) });

export const usePresets = () =>
  useQuery({ queryKey: ["presets"], queryFn: api.listPresets, staleTime: Number.POSITIVE_INFINITY });

export const useVersions = (place: string) =>
  usePages(policyKeys.versions(place), (cursor) => api.listPolicyVersions(place, cursor));

/** Reads a version. Versions never change, so it is never read again. */
export const useVersion = (place: string, version: number, against: number) =>
  useQuery({
    queryKey: policyKeys.version(place, version, against),
    queryFn: () => api.readPolicyVersion(place, version, against),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const useCheck = (place: string, document: PolicyDocument, enabled: boolean) =>
  useQuery({
    queryKey: policyKeys.check(place, document),
    queryFn: () => api.checkPolicy(place, document),
    placeholderData: keepPreviousData,
    enabled,
  });

export const useGrants = (place: api.GrantScope) =>
  useQuery({ queryKey: policyKeys.grants(place), queryFn: () => api.listGrants(place) });

export const useAudit = (teamId: string, filter: api.AuditFilter) =>
  usePages(policyKeys.audit(teamId, filter), (cursor) => api.listAudit(teamId, filter, cursor), {
    placeholderData: keepPreviousData,
  });

/** After a save or rollback, shows the new version at once and refreshes what may have changed with it. */
export function showSaved(policy: Policy): void {
  const own = policyKeys.policy(policy.place);
  queryClient.setQueryData(own, policy);
  void queryClient.invalidateQueries({
    queryKey: ["policies"],
    predicate: ({ queryKey }) => queryKey.length > own.length || queryKey[1] !== policy.place,
  });
}

export function refreshGrants(): void {
  void queryClient.invalidateQueries({ queryKey: ["grants"] });
}
