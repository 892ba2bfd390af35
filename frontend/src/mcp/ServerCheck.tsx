import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { checkMcpServer, type McpServer, readMcpLog } from "../api/mcp";
import { visible } from "../lib/visible";
import { Problem } from "../ui/Notice";
import { Scroller } from "../ui/Scroller";
import { useAction } from "../ui/useAction";
import { useWorkspaceChoice, WorkspaceChoice } from "./WorkspaceChoice";
import "./mcp.css";

interface ServerCheckProps {
  server: McpServer;
  projectId: string | undefined;
  mayCheck: boolean;
  onChecked: () => Promise<unknown>;
}

/** Connects to a server now. A local one is started in a workspace of the project, whose log is shown too. */
export function ServerCheck({ server, projectId, mayCheck, onChecked }: ServerCheckProps) {
  if (server.kind === "local" && !projectId)
    return (
      <p className="muted">It runs in workspaces: check it, and read its log, on the page of a project.</p>
    );
  if (server.kind === "local" && projectId)
    return <LocalCheck server={server} projectId={projectId} mayCheck={mayCheck} onChecked={onChecked} />;
  return mayCheck ? <CheckButton server={server} workspaceId="" onChecked={onChecked} /> : null;
}

function LocalCheck({ server, projectId, mayCheck, onChecked }: ServerCheckProps & { projectId: string }) {
  const choice = useWorkspaceChoice(projectId);
  const { found, id } = choice;
  if (found.error) return <Problem error={found.error} onRetry={() => found.refetch()} />;
  if (found.data && !id) return <p className="muted">The project has no workspace yet.</p>;
  return (
    <>
      <div className="flow align-end">
        <WorkspaceChoice choice={choice} label="Workspace" />
        {mayCheck && id && <CheckButton server={server} workspaceId={id} onChecked={onChecked} />}
      </div>
      {id && <Log server={server} workspaceId={id} />}
    </>
  );
}

interface CheckButtonProps {
  server: McpServer;
  workspaceId: string;
  onChecked: () => Promise<unknown>;
}

function CheckButton({ server, workspaceId, onChecked }: CheckButtonProps) {
  const { run, busy, error } = useAction();
  return (
    <div className="flow">
      <button
        type="button"
        className="button"
        disabled={busy || !server.enabled}
        onClick={() =>
          void run(async () => {
            await checkMcpServer(server.id, workspaceId);
            await onChecked();
          })
        }
      >
        {busy ? "Checking…" : "Check now"}
      </button>
      {error !== null && <Problem error={error} />}
    </div>
  );
}

function Log({ server, workspaceId }: { server: McpServer; workspaceId: string }) {
  const [open, setOpen] = useState(false);
  const found = useQuery({
    queryKey: ["mcp-log", server.id, workspaceId],
    queryFn: () => readMcpLog(server.id, workspaceId),
    enabled: open,
  });
  const text = [...(found.data?.events ?? []), found.data?.stderr ?? ""].filter(Boolean).join("\n");
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Log</summary>
      {found.error && <Problem error={found.error} onRetry={() => found.refetch()} />}
      {found.data && (
        <div className="stack gap-8">
          <Scroller className="mcp-text mono small boxed" label={`Log of ${server.name}`}>
            <pre>{visible(text) || "Nothing was logged."}</pre>
          </Scroller>
          <div className="flow">
            <button type="button" className="button" onClick={() => void found.refetch()}>
              Read again
            </button>
          </div>
        </div>
      )}
    </details>
  );
}
