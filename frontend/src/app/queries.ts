// The query client, and queries of sessions, projects, and pending requests and questions.
import { QueryClient, useQuery } from "@tanstack/react-query";
import * as api from "../api/endpoints";
import { ApiError, onSignedOut } from "../api/http";
import type { Me } from "../api/types";

export const keys = {
  me: ["me"],
  site: ["site"],
  projects: ["projects"],
  project: (id: string) => ["projects", id],
  sessionLists: ["sessions"],
  sessions: (status?: string) => ["sessions", status ?? "recent"],
  session: (id: string) => ["sessions", "one", id],
  children: (id: string) => ["sessions", "children", id],
  projectSessions: (id: string) => ["sessions", "project", id],
  requests: ["open-requests"],
  questions: ["open-questions"],
  diffs: ["diff"],
  diff: (sessionId: string, version: number) => ["diff", sessionId, version],
} as const;

const isRetryable = (error: Error) =>
  !(error instanceof ApiError) || error.status === 0 || error.status >= 500;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (count, error) => count < 2 && isRetryable(error),
      refetchOnWindowFocus: true,
    },
  },
});

/**
 * Marks the person as signed out. That is a value, not an error: the page keeps its URL and shows the sign-in
 * form.
 */
export function markSignedOut(): void {
  queryClient.setQueryData(keys.me, null);
}
onSignedOut(markSignedOut);

/**
 * Drops all cached data, because another person may sign in next. The `me` query stays so that its observers
 * see the change.
 */
export function clearCachedData(): void {
  markSignedOut();
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.me[0] });
}

async function readMeOrNull(): Promise<Me | null> {
  try {
    return await api.readMe();
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

/** Reads the signed-in person; null if nobody is signed in. */
export const useMe = () => useQuery({ queryKey: keys.me, queryFn: readMeOrNull, staleTime: 60_000 });
export const useSite = () =>
  useQuery({ queryKey: keys.site, queryFn: api.readSite, staleTime: Number.POSITIVE_INFINITY });
export const useProjects = () => useQuery({ queryKey: keys.projects, queryFn: api.listProjects });
export const useProject = (id: string | undefined) =>
  useQuery({
    queryKey: keys.project(id ?? ""),
    queryFn: () => api.readProject(id as string),
    enabled: !!id,
    staleTime: 60_000,
  });
export const useSessions = (status?: "waiting" | "running") =>
  useQuery({ queryKey: keys.sessions(status), queryFn: () => api.listSessions(status) });
export const useSession = (id: string | undefined) =>
  useQuery({ queryKey: keys.session(id ?? ""), queryFn: () => api.readSession(id as string), enabled: !!id });
/** Reads the sessions of sub-agents that a session started. */
export const useChildren = (id: string | undefined) =>
  useQuery({
    queryKey: keys.children(id ?? ""),
    queryFn: () => api.listChildren(id as string),
    enabled: !!id,
  });
export const useProjectSessions = (id: string | undefined) =>
  useQuery({
    queryKey: keys.projectSessions(id ?? ""),
    queryFn: () => api.listProjectSessions(id as string),
    enabled: !!id,
  });

// The WebSocket reports changes; polling covers the time while it is down.
const FALLBACK_POLL_MS = 30_000;
export const useOpenRequests = () =>
  useQuery({ queryKey: keys.requests, queryFn: api.listOpenRequests, refetchInterval: FALLBACK_POLL_MS });
export const useOpenQuestions = () =>
  useQuery({ queryKey: keys.questions, queryFn: api.listOpenQuestions, refetchInterval: FALLBACK_POLL_MS });
export const useDiff = (sessionId: string, version: number, enabled = true) =>
  useQuery({
    queryKey: keys.diff(sessionId, version),
    queryFn: () => api.readDiff(sessionId),
    enabled,
    placeholderData: (before) => before,
    staleTime: 5_000,
  });

export function refreshWaiting(): void {
  void queryClient.invalidateQueries({ queryKey: keys.requests });
  void queryClient.invalidateQueries({ queryKey: keys.questions });
}

export function refreshSessions(): void {
  void queryClient.invalidateQueries({ queryKey: keys.sessionLists });
}

/** Reads sessions again that were read a while ago, not those that the page has just read, or is reading. */
export function refreshOutdatedSessions(): void {
  void queryClient.refetchQueries({ queryKey: keys.sessionLists, type: "active", stale: true });
}
