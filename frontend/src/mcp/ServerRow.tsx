import { useQuery } from "@tanstack/react-query";
import { changeMcpServer, type McpServer, readMcpServer, removeMcpServer } from "../api/mcp";
import { formatAgo } from "../lib/format";
import { visibleLine } from "../lib/visible";
import { ConfirmButton, ExpandableRow } from "../ui/ExpandableRow";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { LastCalls } from "./LastCalls";
import { ServerCheck } from "./ServerCheck";
import { ServerForm } from "./ServerForm";
import { ServerSignIn } from "./ServerSignIn";
import { ServerStatus } from "./ServerStatus";
import { ServerTools } from "./ServerTools";
import { fieldsOf, settingsOf } from "./serverFields";
import { whereOf } from "./whereOf";

interface ServerRowProps {
  server: McpServer;
  /** It belongs to the team or project of this page, not to one above it. */
  isOwn: boolean;
  projectId: string | undefined;
  onChanged: () => Promise<unknown>;
}

export function ServerRow({ server, isOwn, projectId, onChanged }: ServerRowProps) {
  const { run, busy, error } = useAction();
  return (
    <ExpandableRow
      name={server.name}
      about={
        <span className="muted break-anywhere">
          {visibleLine(whereOf(server))}
          {!isOwn && (server.place === "site" ? " · of the site" : " · of the team")}
          {server.overridden && " · replaced by the one of the same name"}
        </span>
      }
      testId="mcp-server-row"
      aside={<ServerStatus server={server} />}
      note={
        <>
          {server.problem && (
            <p className={`break-anywhere ${server.asks_sign_in ? "text-waiting" : "text-failed"}`}>
              {visibleLine(server.problem)}
            </p>
          )}
          {!server.overridden && <ServerSignIn server={server} onChanged={onChanged} />}
          {server.changed_count > 0 && (
            <p className="text-waiting">
              {server.changed_count === 1 ? "1 tool has" : `${server.changed_count} tools have`} changed.
              Every call is asked about until an admin accepts it.
            </p>
          )}
        </>
      }
      error={error}
    >
      <Details
        server={server}
        projectId={projectId}
        mayChange={isOwn && server.can_edit}
        onChanged={onChanged}
      />
      {isOwn && server.can_edit && (
        <div className="flow">
          <button
            type="button"
            className="button"
            disabled={busy}
            onClick={() =>
              void run(async () => {
                await changeMcpServer(server.id, { enabled: !server.enabled });
                await onChanged();
              })
            }
          >
            {server.enabled ? "Disable" : "Enable"}
          </button>
          <ConfirmButton
            verb="Remove"
            name={server.name}
            lost="From the next step on, agents are not offered its tools. A running call continues until it ends."
            busy={busy}
            onConfirm={() =>
              void run(async () => {
                await removeMcpServer(server.id);
                await onChanged();
              })
            }
          />
        </div>
      )}
    </ExpandableRow>
  );
}

interface DetailsProps {
  server: McpServer;
  projectId: string | undefined;
  mayChange: boolean;
  onChanged: () => Promise<unknown>;
}

function Details({ server, projectId, mayChange, onChanged }: DetailsProps) {
  const found = useQuery({
    queryKey: ["mcp-server", server.id, server.version],
    queryFn: () => readMcpServer(server.id),
  });
  const refresh = async () => {
    await Promise.all([found.refetch(), onChanged()]);
  };
  if (found.isPending) return <Skeleton rows={2} label="Loading the server" />;
  if (found.error) return <Problem error={found.error} onRetry={() => found.refetch()} />;
  const { facts, checked_at } = found.data;
  return (
    <>
      <p className="muted break-anywhere">
        {facts.name && `It says that it is ${visibleLine(facts.name)} ${visibleLine(facts.version ?? "")}. `}
        {checked_at ? `Seen ${formatAgo(checked_at)}.` : "It was not reached yet."}
      </p>
      <ServerCheck server={server} projectId={projectId} mayCheck={server.can_edit} onChecked={refresh} />
      {projectId && <LastCalls server={server} projectId={projectId} />}
      <ServerTools server={found.data} projectId={projectId} onChanged={refresh} />
      {mayChange && (
        <ServerForm
          title={`Change ${server.name}`}
          verb="Save"
          start={fieldsOf(server)}
          before={server}
          save={async (fields) => {
            await changeMcpServer(server.id, { ...settingsOf(fields, server), base_version: server.version });
            await refresh();
          }}
        />
      )}
    </>
  );
}
