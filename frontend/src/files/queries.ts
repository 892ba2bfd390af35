import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type FileView, findFiles, listFiles, readFile } from "../api/files";
import { hasCode } from "../api/http";
import { queryClient } from "../app/queries";
import { useLive } from "../store/SessionContext";

const ROOT = "files";
const STARTING_POLL_MS = 2_000; // while a workspace has no files yet

/** Files are read again whenever an edit or a command of an agent has ended. */
export function useFolder(sessionId: string, path: string) {
  const version = useLive((state) => state.filesVersion);
  return useQuery({
    queryKey: [ROOT, sessionId, "folder", path, version],
    queryFn: () => listFiles(sessionId, path),
    enabled: version > 0,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (hasCode(state.error, "workspace_not_ready") ? STARTING_POLL_MS : false),
  });
}

export function useFile(sessionId: string, path: string) {
  const version = useLive((state) => state.filesVersion);
  return useQuery({
    queryKey: [ROOT, sessionId, "file", path, version],
    queryFn: () => readFile(sessionId, path),
    enabled: version > 0,
    placeholderData: (previous) => (previous?.path === path ? previous : undefined),
  });
}

export function useFound(sessionId: string, query: { name?: string; text?: string }) {
  return useQuery({
    queryKey: [ROOT, sessionId, "found", query],
    queryFn: () => findFiles(sessionId, query),
    enabled: !!(query.name || query.text),
    placeholderData: keepPreviousData,
  });
}

/** Shows a text as it was saved until it is read again: without this, who types on would change the text of before. */
export const noteSaved = (sessionId: string, file: FileView): void =>
  void queryClient.setQueriesData({ queryKey: [ROOT, sessionId, "file", file.path] }, file);

/** Reads everything again after a person has changed files. */
export const refreshFiles = (sessionId: string) =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: [ROOT, sessionId] }),
    queryClient.invalidateQueries({ queryKey: ["diff", sessionId] }),
  ]);
