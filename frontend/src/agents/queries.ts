// Queries of agents and their keys.
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import * as api from "../api/agents";
import { queryClient } from "../app/queries";

export const agentKeys = {
  all: ["agents"],
  place: (place: string) => ["agents", "place", place],
  row: (id: string) => ["agents", "row", id],
  session: (id: string, current: string) => ["agents", "session", id, current],
} as const;

export const useAgents = (place: string) =>
  useQuery({ queryKey: agentKeys.place(place), queryFn: () => api.listAgents(place) });

export const useAgentRow = (id: string | undefined) =>
  useQuery({ queryKey: agentKeys.row(id ?? ""), queryFn: () => api.readAgent(id as string), enabled: !!id });

export interface AvailableAgents {
  /** Agents that a person may choose for the session. */
  selectable: readonly api.Agent[];
  /** Agents that can be called with "@". */
  callable: readonly api.Agent[];
}

const NO_AGENTS: AvailableAgents = { selectable: [], callable: [] };

const availableAgents = ({ items, callable }: api.SessionAgents): AvailableAgents => ({
  selectable: items.filter((agent) => agent.selectable),
  callable: items.filter((agent) => callable.includes(agent.name)),
});

/**
 * Reads the agents of a session. Which of them can be called depends on the current agent, which is "" until
 * the session is loaded.
 */
export function useSessionAgents(sessionId: string, current: string): AvailableAgents {
  const found = useQuery({
    queryKey: agentKeys.session(sessionId, current),
    queryFn: () => api.listSessionAgents(sessionId),
    enabled: current !== "",
    select: availableAgents,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  return found.data ?? NO_AGENTS;
}

/**
 * Returns a function that reads the session's agents again: other people and files of the workspace can
 * change them.
 */
export function useSessionAgentsRefresh(sessionId: string): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: [...agentKeys.all, "session", sessionId] });
}

export function refreshAgents(): void {
  void queryClient.invalidateQueries({ queryKey: agentKeys.all });
}
