import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSessionAgents } from "../agents/queries";
import type { Agent } from "../api/agents";
import { listCommands } from "../api/commands";
import { findFiles } from "../api/files";
import type { McpPrompt } from "../api/mcp";
import { rank } from "../app/paletteRank";
import { visibleLine } from "../lib/visible";
import { useMcpPrompts, useMcpResources } from "../mcp/queries";
import { useLive } from "../store/SessionContext";
import { useDebounced } from "../ui/useDebounced";
import { findMention, type Mention } from "./mentions";
import { findCommand, withFolders } from "./typed";

const MAX_SUGGESTIONS = 8;
const TYPING_MS = 30;
const FRESH_MS = 10_000;

/**
 * Something to insert at the caret: a command, an agent, a file, a resource or a prompt of an MCP server. `name` is
 * inserted behind its sign, except that of a prompt, whose text is asked for first.
 */
export interface Suggestion {
  kind: "command" | "agent" | "file" | "resource" | "prompt";
  name: string;
  description: string;
  agent?: Agent;
  prompt?: McpPrompt;
}

export interface Suggestions {
  items: Suggestion[];
  /** What the chosen name replaces. */
  mention: Mention | null;
}

export const useCommands = (sessionId: string) =>
  useQuery({
    queryKey: ["commands", sessionId],
    queryFn: () => listCommands(sessionId),
    staleTime: FRESH_MS,
  });

/** Returns suggestions for what stands in front of the caret. */
export function useSuggestions(sessionId: string, text: string, caret: number): Suggestions {
  const commands = useCommands(sessionId);
  const typed = findCommand(text, caret);
  const mention = typed === null ? findMention(text, caret) : null;
  const agents = useAgentsFor(sessionId, mention);
  const files = useFilesFor(sessionId, mention);
  const prompts = usePromptsFor(sessionId, typed);
  const resources = useResourcesFor(sessionId, mention);
  if (typed !== null) {
    const found = rank(commands.data?.items ?? [], typed, (command) => command.name);
    const items = [...found.map(({ item }) => commandOf(item)), ...prompts].slice(0, MAX_SUGGESTIONS);
    return { items, mention: { start: 0, query: typed } };
  }
  return { items: [...agents, ...resources, ...files].slice(0, MAX_SUGGESTIONS), mention };
}

const commandOf = ({ name, description }: { name: string; description: string }): Suggestion => ({
  kind: "command",
  name,
  description,
});

function usePromptsFor(sessionId: string, typed: string | null): Suggestion[] {
  const prompts = useMcpPrompts(sessionId, typed !== null);
  if (typed === null) return [];
  const named = prompts.map((prompt) => ({ name: `${prompt.server}:${prompt.name}`, prompt }));
  return rank(named, typed, ({ name }) => name).map(({ item: { name, prompt } }) => ({
    kind: "prompt",
    name,
    description: visibleLine(prompt.title || prompt.description),
    prompt,
  }));
}

function useResourcesFor(sessionId: string, mention: Mention | null): Suggestion[] {
  const resources = useMcpResources(sessionId, mention !== null);
  if (!mention) return [];
  const named = resources.map((each) => ({
    name: `${each.server}:${each.uri}`,
    about: each.name || each.description,
  }));
  return rank(named, mention.query, ({ name }) => name).map(({ item: { name, about } }) => ({
    kind: "resource",
    name,
    description: visibleLine(about),
  }));
}

function useAgentsFor(sessionId: string, mention: Mention | null): Suggestion[] {
  const current = useLive((state) => state.session?.agent ?? "");
  const { callable } = useSessionAgents(sessionId, current);
  if (!mention) return [];
  return rank(callable, mention.query, (agent) => agent.name).map(({ item }) => ({
    kind: "agent",
    name: item.name,
    description: item.description,
    agent: item,
  }));
}

function useFilesFor(sessionId: string, mention: Mention | null): Suggestion[] {
  // Every path in a folder has a slash, so a bare "@" lists the nearest files, and the next key finds all names listed.
  const query = useDebounced(mention ? mention.query || "/" : "", TYPING_MS);
  const found = useQuery({
    queryKey: ["mentioned-files", sessionId, query],
    queryFn: () => findFiles(sessionId, { name: query }),
    enabled: mention !== null && query !== "",
    staleTime: FRESH_MS,
    placeholderData: keepPreviousData,
    retry: false,
  });
  if (!mention) return [];
  const paths = (found.data?.files ?? []).map((file) => file.path);
  return withFolders(paths, mention.query, MAX_SUGGESTIONS).map((path) => ({
    kind: "file",
    name: path,
    description: "",
  }));
}
