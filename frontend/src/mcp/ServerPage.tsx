import { useQuery } from "@tanstack/react-query";
import { hasCode } from "../api/http";
import { readMcpServer } from "../api/mcp";
import { useTabTitle } from "../app/live";
import { visibleLine } from "../lib/visible";
import { NotFound } from "../pages/NotFound";
import { useLevelAt } from "../settings/levels";
import { SettingsFrame } from "../settings/SettingsFrame";
import { Problem, Skeleton } from "../ui/Notice";
import { ServerCheck } from "./ServerCheck";
import { ServerSignIn } from "./ServerSignIn";
import { ServerStatus } from "./ServerStatus";
import { ServerTools } from "./ServerTools";
import { whereOf } from "./whereOf";

/** One MCP server: where people sign in, and where they come back to afterwards. */
export function ServerPage({ serverId }: { serverId: string }) {
  const found = useQuery({
    queryKey: ["mcp-server", serverId],
    queryFn: () => readMcpServer(serverId),
    refetchInterval: ({ state }) => (isBeingRead(state.data) ? 2_000 : false),
    retry: false,
  });
  const level = useLevelAt(found.data?.place);
  useTabTitle(found.data ? `${found.data.name} (MCP)` : "MCP server", 0);
  if (hasCode(found.error, "not_found")) return <NotFound what="MCP server" />;
  if (found.error && !found.data) return <Problem error={found.error} onRetry={found.refetch} />;
  if (!found.data) return <Skeleton rows={6} label="Loading the server" />;
  const server = found.data;
  const refresh = () => found.refetch();
  return (
    <SettingsFrame level={level} current="mcp">
      <div className="stack gap-16">
        <header className="stack gap-6">
          <h1>{server.name}</h1>
          <p className="muted break-anywhere">MCP server, {visibleLine(whereOf(server))}</p>
          <ServerStatus server={server} />
        </header>
        {server.sign_in_problem && (
          <p role="alert" className="text-failed break-anywhere">
            You were not signed in. {visibleLine(server.sign_in_problem)}
          </p>
        )}
        {server.problem && <p className="break-anywhere">{visibleLine(server.problem)}</p>}
        <ServerSignIn server={server} onChanged={refresh} />
        <ServerCheck server={server} projectId={undefined} mayCheck={server.can_edit} onChecked={refresh} />
        <ServerTools server={server} projectId={undefined} onChanged={refresh} />
      </div>
    </SettingsFrame>
  );
}

/** Whether its tools are being read for the first time, after somebody has signed in. */
const isBeingRead = (server?: { account: unknown; checked_at: string | null; tool_count: number }): boolean =>
  Boolean(server?.account) && server?.tool_count === 0;
