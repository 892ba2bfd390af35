// API calls for policies, decisions, grants and the audit log.
import { atPrefix } from "../lib/prefix";
import { api, body } from "./http";
import { readAllPages } from "./pages";
import type { ExplainQuestion, PolicyDocument } from "./policyTypes";
import type { components } from "./schema";

const PAGE_SIZE = 50;
const at = (place: string) => ({ path: { place } });

export const readPolicy = (place: string) => body(api.GET("/api/v1/policies/{place}", { params: at(place) }));
export const savePolicy = (place: string, document: PolicyDocument, base_version: number, reason: string) =>
  body(api.PUT("/api/v1/policies/{place}", { params: at(place), body: { document, base_version, reason } }));
export const listPolicyVersions = (place: string, cursor?: string) =>
  body(
    api.GET("/api/v1/policies/{place}/versions", {
      params: { ...at(place), query: { limit: PAGE_SIZE, ...(cursor ? { cursor } : {}) } },
    }),
  );
export const readPolicyVersion = (place: string, version: number, against: number) =>
  body(
    api.GET("/api/v1/policies/{place}/versions/{version}", {
      params: { path: { place, version }, query: { against } },
    }),
  );
export const rollBackPolicy = (place: string, version: number, base_version: number, reason: string) =>
  body(
    api.POST("/api/v1/policies/{place}/rollback", {
      params: at(place),
      body: { version, base_version, reason },
    }),
  );
export const checkPolicy = (place: string, document: PolicyDocument) =>
  body(api.POST("/api/v1/policies/{place}/check", { params: at(place), body: { document } }));
export const simulatePolicy = (place: string, document: PolicyDocument, limit: number) =>
  body(api.POST("/api/v1/policies/{place}/simulate", { params: at(place), body: { document, limit } }));
export const listPresets = () => body(api.GET("/api/v1/presets"));

export const explain = (question: ExplainQuestion) =>
  body(api.POST("/api/v1/explain", { body: question as components["schemas"]["ExplainQuestion"] }));
export const readWhy = (callId: string) =>
  body(api.GET("/api/v1/tool-calls/{call_id}/why", { params: { path: { call_id: callId } } }));
export const readSessionRules = (sessionId: string) =>
  body(api.GET("/api/v1/sessions/{session_id}/rules", { params: { path: { session_id: sessionId } } }));

/** What to list grants of. A session's list includes those of its project and team. */
export interface GrantScope {
  of: "session" | "project" | "team";
  id: string;
}

export const listGrants = (place: GrantScope) => readAllPages((cursor) => listSomeGrants(place, { cursor }));

function listSomeGrants({ of, id }: GrantScope, query: { cursor: string | undefined }) {
  if (of === "project") {
    return body(
      api.GET("/api/v1/projects/{project_id}/grants", { params: { path: { project_id: id }, query } }),
    );
  }
  if (of === "team") {
    return body(api.GET("/api/v1/teams/{team_id}/grants", { params: { path: { team_id: id }, query } }));
  }
  return body(
    api.GET("/api/v1/sessions/{session_id}/grants", { params: { path: { session_id: id }, query } }),
  );
}
/** Reads what programs in the project's workspaces may reach, and the hosts that they were refused. */
export const readProjectNetwork = (projectId: string) =>
  body(api.GET("/api/v1/projects/{project_id}/network", { params: { path: { project_id: projectId } } }));
export const revokeGrant = (id: string) =>
  body(api.DELETE("/api/v1/grants/{grant_id}", { params: { path: { grant_id: id } } }));

const ofTeam = (teamId: string) => ({ path: { team_id: teamId } });

/** Filters of the audit log. An empty text matches everything. Days are in the viewer's time zone. */
export interface AuditFilter {
  readonly action: string;
  /** Public ids. */
  readonly actor: string;
  readonly subject: string;
  readonly project: string;
  readonly text: string;
  readonly since: string;
  readonly until: string;
}

const DAY_MS = 24 * 3600 * 1000;
const startOf = (day: string, more = 0) => new Date(new Date(`${day}T00:00`).getTime() + more).toISOString();

/** Converts the filters to query parameters. `until` is the last day to include. */
export const auditQuery = ({ since, until, ...exact }: AuditFilter): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(exact).filter(([, value]) => value.trim())),
  ...(since ? { since: startOf(since) } : {}),
  ...(until ? { until: startOf(until, DAY_MS) } : {}),
});

export const listAudit = (teamId: string, filter: AuditFilter, cursor?: string) =>
  body(
    api.GET("/api/v1/teams/{team_id}/audit", {
      params: {
        ...ofTeam(teamId),
        query: { limit: PAGE_SIZE, ...auditQuery(filter), ...(cursor ? { cursor } : {}) },
      },
    }),
  );
/** Returns the URL that downloads the filtered entries. */
export const auditFile = (teamId: string, filter: AuditFilter, format: "csv" | "jsonl"): string =>
  atPrefix(`/api/v1/teams/${teamId}/audit/export?${new URLSearchParams({ ...auditQuery(filter), format })}`);
export const verifyAudit = (teamId: string) =>
  body(api.POST("/api/v1/teams/{team_id}/audit/verify", { params: ofTeam(teamId) }));
export const readAuditRetention = (teamId: string) =>
  body(api.GET("/api/v1/teams/{team_id}/audit/retention", { params: ofTeam(teamId) }));
/** Sets the retention in days; null uses the retention of the site. */
export const setAuditRetention = (teamId: string, days: number | null) =>
  body(api.PUT("/api/v1/teams/{team_id}/audit/retention", { params: ofTeam(teamId), body: { days } }));
