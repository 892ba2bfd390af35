// Queries of the prompts and resources that the MCP servers of a session offer to people.
import { useQuery } from "@tanstack/react-query";
import { listMcpPrompts, listMcpResources, type McpPrompt, type McpResource } from "../api/mcp";

const STALE_MS = 30_000;

/** The prompts of the session's servers; read when they are needed first. */
export function useMcpPrompts(sessionId: string, needed: boolean): readonly McpPrompt[] {
  const queryFn = () => listMcpPrompts(sessionId);
  const key = ["mcp-prompts", sessionId];
  return useQuery({ queryKey: key, queryFn, enabled: needed, staleTime: STALE_MS }).data?.items ?? [];
}

/** The resources of the session's servers; read when they are needed first. */
export function useMcpResources(sessionId: string, needed: boolean): readonly McpResource[] {
  const queryFn = () => listMcpResources(sessionId);
  const key = ["mcp-resources", sessionId];
  return useQuery({ queryKey: key, queryFn, enabled: needed, staleTime: STALE_MS }).data?.items ?? [];
}
