// The commands of the shown session in the command palette.
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { listCommands } from "../api/commands";
import { suggestText } from "../conversation/suggested";
import { visibleLine } from "../lib/visible";

const SESSION = /^\/sessions\/([^/]+)/;
const FRESH_MS = 10_000;

/** Returns the commands of the session that the page shows; each is put into the prompt box, where it can be completed. */
export function useSessionCommands() {
  const [path] = useLocation();
  const sessionId = SESSION.exec(path)?.[1] ?? "";
  const { data } = useQuery({
    queryKey: ["commands", sessionId],
    queryFn: () => listCommands(sessionId),
    enabled: sessionId !== "",
    staleTime: FRESH_MS,
    retry: false,
  });
  if (!sessionId) return [];
  return (data?.items ?? []).map(({ name, description }) => ({
    id: `command-${name}`,
    label: `/${name}`,
    detail: visibleLine(description),
    icon: "terminal" as const,
    run: () => suggestText(sessionId, `/${name} `),
  }));
}
