// Sessions that the person has pinned or not read.
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { listSessionMarks, markSession, type SessionMark } from "../api/sessions";
import { keys, queryClient, refreshSessions } from "../app/queries";
import { useLive } from "../store/SessionContext";

const KEY = [...keys.sessionLists, "marks"];
type Marks = Awaited<ReturnType<typeof listSessionMarks>>;

/** Returns the marks of pinned and unread sessions, by the id of the session. */
export function useMarks(): ReadonlyMap<string, SessionMark> {
  const marks = useQuery({ queryKey: KEY, queryFn: listSessionMarks }).data?.items ?? [];
  return new Map(marks.map((mark) => [mark.session_id, mark]));
}

export async function mark(sessionId: string, change: { pinned?: boolean; seen?: boolean }): Promise<void> {
  await markSession(sessionId, change);
  refreshSessions();
}

/**
 * Shows the session as read without requesting all marks again. Only a response in transit, which may be outdated, is
 * requested again.
 */
export async function noteSeen(sessionId: string): Promise<void> {
  const isAsked = queryClient.isFetching({ queryKey: KEY }) > 0;
  if (isAsked && queryClient.getQueryData(KEY)) return queryClient.invalidateQueries({ queryKey: KEY });
  if (isAsked) await queryClient.fetchQuery({ queryKey: KEY, queryFn: listSessionMarks });
  queryClient.setQueryData<Marks>(
    KEY,
    (marks) =>
      marks && {
        ...marks,
        items: marks.items
          .map((row) => (row.session_id === sessionId ? { ...row, unread: false } : row))
          .filter((row) => row.pinned || row.unread),
      },
    { updatedAt: queryClient.getQueryState(KEY)?.dataUpdatedAt },
  );
}

/** Marks the session on screen as read: when it opens, and whenever its work pauses or ends. */
export function useSeen(sessionId: string): void {
  const isLoaded = useLive((state) => state.seq !== null);
  const isPaused = useLive((state) => state.session?.status !== "running");
  useEffect(() => {
    if (!isLoaded || !isPaused || document.visibilityState === "hidden") return;
    // If this fails, the session stays marked until it is opened again.
    void markSession(sessionId, { seen: true })
      .then(() => noteSeen(sessionId))
      .catch(() => {});
  }, [sessionId, isLoaded, isPaused]);
}
