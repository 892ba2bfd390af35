// Queries of the workspace pages, their keys and poll intervals. Nothing is polled while the page is hidden.
import { type InfiniteData, keepPreviousData, useQuery } from "@tanstack/react-query";
import * as api from "../api/workspaces";
import type { WorkspaceDetail, WorkspaceDetailPage } from "../api/workspaceTypes";
import { queryClient } from "../app/queries";
import { usePages } from "../lib/usePages";

export const workspaceKeys = {
  all: ["workspaces"],
  lists: ["workspaces", "list"],
  list: (filter: api.WorkspaceFilter) => ["workspaces", "list", filter],
  one: (id: string) => ["workspaces", "one", id],
  usage: (id: string) => ["workspaces", "usage", id],
  background: (id: string) => ["workspaces", "background", id],
} as const;

const LIVE_POLL_MS = 3_000;
const CHANGING_POLL_MS = 1_000;
const IDLE_POLL_MS = 15_000;

function pollInterval(workspace: WorkspaceDetail | undefined, isWatched: boolean): number {
  if (isWatched || workspace?.state === "starting") return CHANGING_POLL_MS;
  return workspace?.state === "running" ? LIVE_POLL_MS : IDLE_POLL_MS;
}

/** Reads a workspace. `isWatched` polls faster because an action is running. */
export const useWorkspace = (id: string, isWatched: boolean, enabled = true) =>
  useQuery({
    queryKey: workspaceKeys.one(id),
    queryFn: () => api.readWorkspace(id),
    enabled,
    refetchInterval: (query) => pollInterval(query.state.data, isWatched),
  });

export const useUsage = (id: string, isRunning: boolean) =>
  useQuery({
    queryKey: workspaceKeys.usage(id),
    queryFn: () => api.readUsage(id),
    enabled: isRunning,
    refetchInterval: LIVE_POLL_MS,
  });

export const useBackground = (id: string, isRunning: boolean) =>
  useQuery({
    queryKey: workspaceKeys.background(id),
    queryFn: () => api.listBackground(id),
    enabled: isRunning,
    refetchInterval: LIVE_POLL_MS,
  });

export const useWorkspaces = (filter: api.WorkspaceFilter) =>
  usePages(workspaceKeys.list(filter), (cursor) => api.listWorkspaces(filter, cursor), {
    placeholderData: keepPreviousData,
    refetchInterval: IDLE_POLL_MS,
  });

type Lists = InfiniteData<WorkspaceDetailPage, string | undefined>;

/** Shows the answer to an action at once, also in lists, and refreshes the lists. */
export function showWorkspace(workspace: WorkspaceDetail): void {
  queryClient.setQueryData(workspaceKeys.one(workspace.id), workspace);
  queryClient.setQueriesData<Lists>({ queryKey: workspaceKeys.lists }, (lists) =>
    lists ? { ...lists, pages: lists.pages.map((page) => withWorkspace(page, workspace)) } : lists,
  );
  void queryClient.invalidateQueries({ queryKey: workspaceKeys.lists });
}

const withWorkspace = (page: WorkspaceDetailPage, workspace: WorkspaceDetail): WorkspaceDetailPage => ({
  ...page,
  items: page.items.map((item) => (item.id === workspace.id ? workspace : item)),
});

export function refreshWorkspaces(): void {
  void queryClient.invalidateQueries({ queryKey: workspaceKeys.all });
}
