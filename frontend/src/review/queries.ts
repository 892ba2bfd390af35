// Queries of a review: changes, comments and approvals, and what each action refreshes.
import { useQuery } from "@tanstack/react-query";
import {
  type DiffOptions,
  listCommits,
  listFileApprovals,
  listReviewComments,
  readChanges,
} from "../api/review";
import { queryClient } from "../app/queries";
import { useLive } from "../store/SessionContext";

/** Reads the changes, and again whenever an edit or a command ends. */
export function useReviewedChanges(sessionId: string, options: DiffOptions) {
  const version = useLive((state) => state.filesVersion);
  return useQuery({
    queryKey: ["review", sessionId, "changes", options, version],
    queryFn: () => readChanges(sessionId, options),
    enabled: version > 0,
    placeholderData: (before) => before,
    staleTime: 5_000,
  });
}

/** Reads the patch of one file that the list leaves out, in this version. */
export function useFileAlone(sessionId: string, options: DiffOptions, version: string) {
  return useQuery({
    queryKey: ["review", sessionId, "file", options, version],
    queryFn: () => readChanges(sessionId, options),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Reads the commits of the session, and again whenever an edit or a command ends. */
export function useCommits(sessionId: string) {
  const version = useLive((state) => state.filesVersion);
  return useQuery({
    queryKey: ["review", sessionId, "commits", version],
    queryFn: () => listCommits(sessionId),
    enabled: version > 0,
    placeholderData: (before) => before,
    staleTime: 5_000,
    retry: false,
  });
}

/** Reads the comments, and again whenever one is sent, settled or answered. */
export function useReviewComments(sessionId: string) {
  const version = useLive((state) => state.reviewVersion);
  return useQuery({
    queryKey: ["review", sessionId, "comments", version],
    queryFn: () => listReviewComments(sessionId),
    enabled: version > 0,
    placeholderData: (before) => before,
  });
}

export function useFileApprovals(sessionId: string) {
  const version = useLive((state) => state.reviewVersion);
  return useQuery({
    queryKey: ["review", sessionId, "approvals", version],
    queryFn: () => listFileApprovals(sessionId),
    enabled: version > 0,
    placeholderData: (before) => before,
  });
}

export const refreshComments = (sessionId: string) =>
  queryClient.invalidateQueries({ queryKey: ["review", sessionId, "comments"] });
export const refreshApprovals = (sessionId: string) =>
  queryClient.invalidateQueries({ queryKey: ["review", sessionId, "approvals"] });
