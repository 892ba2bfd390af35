// What the pages and the prompt box read about agents, and what makes it stale.
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

export interface AgentsHere {
  /** Those a person may work with. */
  selectable: readonly api.Agent[];
  /** Those that can be called with "@". */
  callable: readonly api.Agent[];
}

const NOBODY: AgentsHere = { selectable: [], callable: [] };

const sorted = ({ items, callable }: api.SessionAgents): AgentsHere => ({
  selectable: items.filter((agent) => agent.selectable),
  callable: items.filter((agent) => callable.includes(agent.name)),
});

/** Who may be called depends on the agent that works now. */
export function useSessionAgents(sessionId: string, current: string): AgentsHere {
  const found = useQuery({
    queryKey: agentKeys.session(sessionId, current),
    queryFn: () => api.listSessionAgents(sessionId),
    select: sorted,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  return found.data ?? NOBODY;
}

/** Who may work in the session may change at any time: by somebody else, and by files of its workspace. */
export function useSessionAgentsRefresh(sessionId: string): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: [...agentKeys.all, "session", sessionId] });
}

export function refreshAgents(): void {
  void queryClient.invalidateQueries({ queryKey: agentKeys.all });
}
