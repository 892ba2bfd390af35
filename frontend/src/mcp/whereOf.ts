import type { McpServer } from "../api/mcp";

const MAX_COMMAND = 120;

/** Returns the address of a remote server, or the command of a local one, shortened. */
export function whereOf({ kind, command, url }: Pick<McpServer, "kind" | "command" | "url">): string {
  if (kind === "remote") return url;
  const text = command.join(" ");
  return text.length > MAX_COMMAND ? `${text.slice(0, MAX_COMMAND)}…` : text;
}
