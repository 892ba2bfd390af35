import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { listMcpCalls, type McpCall, type McpServer } from "../api/mcp";
import { formatAgo } from "../lib/format";
import { visibleLine } from "../lib/visible";
import { Problem, Skeleton } from "../ui/Notice";

/** The last calls of a server's tools in the sessions of a project: who, where, when, and how they ended. */
export function LastCalls({ server, projectId }: { server: McpServer; projectId: string }) {
  const [open, setOpen] = useState(false);
  const found = useQuery({
    queryKey: ["mcp-calls", projectId, server.id],
    queryFn: () => listMcpCalls(projectId, server.id),
    enabled: open,
  });
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Last calls</summary>
      {open && found.isPending && <Skeleton rows={3} label="Loading the calls" />}
      {found.error && <Problem error={found.error} onRetry={() => found.refetch()} />}
      {found.data?.items.length === 0 && <p className="muted">No agent has called its tools here yet.</p>}
      <ul aria-label={`Last calls of ${server.name}`}>
        {found.data?.items.map((call) => (
          <li key={call.id} className="ruled small break-anywhere">
            <Call call={call} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function Call({ call }: { call: McpCall }) {
  return (
    <>
      <code>{visibleLine(call.tool)}</code> <span className={stateStyle(call.state)}>{call.state}</span>
      {call.seconds !== null && <span className="muted"> in {call.seconds.toFixed(1)} s</span>}
      <span className="muted">
        {" "}
        · {call.person ? visibleLine(call.person.name || call.person.email) : "nobody"} ·{" "}
        {formatAgo(call.created_at)} ·{" "}
      </span>
      <Link href={`/sessions/${call.session_id}`} className="underlined">
        {visibleLine(call.session_title) || "Session without a title"}
      </Link>
    </>
  );
}

function stateStyle(state: McpCall["state"]): string {
  if (state === "error") return "text-failed";
  return state === "waiting" ? "text-waiting" : "muted";
}
