import { useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { Link } from "wouter";
import { type ProjectSetup, readProjectSetup, type WorkspaceServices } from "../api/setup";
import { visible, visibleLine } from "../lib/visible";
import type { ProjectTabProps } from "../project/tabProps";
import { FieldsProblem } from "../ui/FieldsProblem";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { NewerText } from "./NewerText";
import { keyOf, useSetupDraft } from "./useSetupDraft";

const REFRESH_MS = 5_000;

/** Programs that need no command. */
const KNOWN = [
  { table: "postgres", label: "PostgreSQL" },
  { table: "mariadb", label: "MariaDB" },
  { table: "redis", label: "Redis" },
] as const;

/** The programs that run beside commands, such as a database, and their state in each workspace. */
export function Services(props: ProjectTabProps) {
  const { id } = props.project;
  const setup = useQuery({
    queryKey: keyOf(id),
    queryFn: () => readProjectSetup(id),
    refetchInterval: REFRESH_MS,
  });
  return (
    <section className="settings-section stack gap-16 ruled-top" aria-label="Services">
      <h2>Services</h2>
      {setup.isPending && <Skeleton rows={3} label="Loading the services" />}
      {setup.error && !setup.data && <Problem error={setup.error} onRetry={setup.refetch} />}
      {setup.data && <Declared setup={setup.data} {...props} />}
      {setup.data?.workspaces.map((workspace) => (
        <OfWorkspace key={workspace.workspace_id} workspace={workspace} />
      ))}
    </section>
  );
}

function Declared({ setup, project, mayChange }: ProjectTabProps & { setup: ProjectSetup }) {
  const { draft, setDraft, isChanged, isNewer, settle, save } = useSetupDraft(project.id, setup, "services");
  const { run, busy, error } = useAction();
  const readOnly = !mayChange || !!project.remove_at;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(save);
  };
  const missing = KNOWN.filter(({ table }) => !draft.includes(`[${table}]`));
  return (
    <form className="settings-form stack items-start gap-16" onSubmit={submit} aria-label="Services">
      <label className="field">
        <span>Programs to run</span>
        <textarea
          rows={4}
          className="mono"
          spellCheck={false}
          readOnly={readOnly}
          value={draft}
          placeholder={'[postgres]\ndatabase = "app"'}
          onChange={(event) => setDraft(event.target.value)}
        />
      </label>
      {!readOnly && missing.length > 0 && (
        <div className="cluster gap-8">
          {missing.map(({ table, label }) => (
            <button
              key={table}
              type="button"
              className="button"
              onClick={() => setDraft(`${draft.trimEnd()}${draft.trim() ? "\n\n" : ""}[${table}]\n`)}
            >
              Add {label}
            </button>
          ))}
        </div>
      )}
      <p className="muted">
        They start before a command does, on loopback, and commands find them by variables such as{" "}
        <code>DATABASE_URL</code>. If this is empty, <code>.agentsite/services.toml</code> of the repository
        counts, and a person is asked first. The image must contain the programs.
      </p>
      {error !== null && <FieldsProblem error={error} fieldLabel={() => "Services"} />}
      {isNewer && (
        <NewerText changedBy={setup.changed_by} saved={setup.services} draft={draft} onChoice={settle} />
      )}
      {!readOnly && (
        <button type="submit" className="button primary" disabled={busy || !isChanged || isNewer}>
          Save services
        </button>
      )}
    </form>
  );
}

function OfWorkspace({ workspace }: { workspace: WorkspaceServices }) {
  const from = workspace.source === "settings" ? "" : ` from ${visibleLine(workspace.source)}`;
  return (
    <div className="stack gap-8" data-testid="workspace-services">
      <h3>
        <Link href={`/workspaces/${workspace.workspace_id}`}>{visibleLine(workspace.workspace_name)}</Link>
      </h3>
      {workspace.problem && (
        <p className="text-failed">
          {visibleLine(workspace.source)} cannot be used. {visibleLine(workspace.problem)}
        </p>
      )}
      {!workspace.allowed && !workspace.problem && (
        <p className="muted">Nobody has allowed the services{from} yet.</p>
      )}
      <ul className="stack gap-8" aria-label={`Services of ${visibleLine(workspace.workspace_name)}`}>
        {workspace.services.map((service) => (
          <li key={service.name}>
            <strong>{service.name}</strong>{" "}
            <span
              className={service.state === "failed" ? "text-failed break-anywhere" : "muted break-anywhere"}
            >
              {stateOf(service)}
              {workspace.source !== "settings" && service.state === "ready" && from}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Says what became of a service when a command last needed it. */
function stateOf(service: WorkspaceServices["services"][number]): string {
  if (service.state === "failed") return `Does not run. ${visible(service.message)}`;
  const at = service.place && ` on ${service.place}`;
  return service.state === "ready"
    ? `${service.program}${at}`
    : `${service.program}: no command needed it yet`;
}
