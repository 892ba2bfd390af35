import { useQuery } from "@tanstack/react-query";
import { type DeclaredServer, listDeclaredServers } from "../api/mcp";
import { visibleLine } from "../lib/visible";
import { Problem } from "../ui/Notice";
import { fieldsOfDeclared, type ServerFields } from "./serverFields";
import "./mcp.css";

const STATES: Record<DeclaredServer["state"], { label: string; dot: string }> = {
  waiting: { label: "An agent asks before it uses it", dot: "new" },
  allowed: { label: "Allowed", dot: "running" },
  overridden: { label: "Not used", dot: "stopped" },
  refused: { label: "Not allowed", dot: "failed" },
  unusable: { label: "Cannot be used", dot: "failed" },
};
const HINT =
  "The repository declares this server. Check what it starts: as a server of the project, it is started without asking a person.";

interface DeclaredServersProps {
  projectId: string;
  /** Starts the form with a declared server; undefined for those who may not add servers. */
  onAdd: ((fields: ServerFields, hint: string) => void) | undefined;
}

/** The servers that files in the project's workspaces declare. They are not trusted. */
export function DeclaredServers({ projectId, onAdd }: DeclaredServersProps) {
  const found = useQuery({
    queryKey: ["declared-mcp-servers", projectId],
    queryFn: () => listDeclaredServers(projectId),
  });
  if (found.error) return <Problem error={found.error} onRetry={() => found.refetch()} />;
  if (!found.data?.items.length) return null;
  return (
    <section className="stack gap-8 mcp-declared" aria-label="Declared by the repository">
      <h2>Declared by the repository</h2>
      <p className="muted">
        Files in the workspaces declare these servers. None is used before a person has seen exactly what it
        starts, and each change is asked about again.
      </p>
      <ul className="ruled-top">
        {found.data.items.map((server) => (
          <DeclaredRow
            key={`${server.source} ${server.digest} ${server.state}`}
            server={server}
            onAdd={onAdd}
          />
        ))}
      </ul>
    </section>
  );
}

function DeclaredRow({ server, onAdd }: { server: DeclaredServer } & Pick<DeclaredServersProps, "onAdd">) {
  const state = STATES[server.state];
  const what = server.kind === "local" ? server.command.join(" ") : server.url;
  return (
    <li className="list-row ruled stack gap-4" data-testid="declared-mcp-server">
      <div className="flow align-baseline">
        <span className="medium break-anywhere">{visibleLine(server.name || server.source)}</span>
        <span className="line gap-6">
          <span className={`dot dot-box-${state.dot}`} aria-hidden="true" />
          {state.label}
        </span>
        <span className="spacer" />
        {onAdd && server.state === "waiting" && (
          <button type="button" className="button" onClick={() => onAdd(fieldsOfDeclared(server), HINT)}>
            Add to the project
          </button>
        )}
      </div>
      {what && <code className="small break-anywhere">{visibleLine(what)}</code>}
      <p className="small muted break-anywhere">
        {visibleLine(server.source)}
        {server.problem && ` · ${visibleLine(server.problem)}`}
      </p>
    </li>
  );
}
