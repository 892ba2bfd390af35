import { useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { Link } from "wouter";
import {
  listSetupRuns,
  type ProjectSetup,
  readProjectSetup,
  readSetupRun,
  runSetupAgain,
  type SetupRun,
} from "../api/setup";
import { queryClient } from "../app/queries";
import { formatAgo, formatDuration } from "../lib/format";
import { visible, visibleLine } from "../lib/visible";
import { NETWORK_MODES } from "../policies/sandbox";
import type { ProjectTabProps } from "../project/tabProps";
import { ExpandableRow } from "../ui/ExpandableRow";
import { FieldsProblem } from "../ui/FieldsProblem";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { NewerText } from "./NewerText";
import { keyOf, useSetupDraft } from "./useSetupDraft";

const REFRESH_MS = 5_000;
const runsKeyOf = (projectId: string) => ["setup", projectId, "runs"];

const STATE_TEXTS: Record<SetupRun["state"], string> = {
  waiting: "Waits for a person",
  running: "Running",
  completed: "Completed",
  failed: "Failed",
  stopped: "Stopped",
};

/** The script that prepares the project's workspaces, and its last runs with their output. */
export function Setup(props: ProjectTabProps) {
  const { id } = props.project;
  const setup = useQuery({ queryKey: keyOf(id), queryFn: () => readProjectSetup(id) });
  return (
    <section className="settings-section stack gap-16 ruled-top" aria-label="Set-up">
      <h2>Set-up</h2>
      {setup.isPending && <Skeleton rows={3} label="Loading the set-up" />}
      {setup.error && !setup.data && <Problem error={setup.error} onRetry={setup.refetch} />}
      {setup.data && <Script setup={setup.data} {...props} />}
      <Runs projectId={id} />
    </section>
  );
}

function Script({ setup, project, mayChange }: ProjectTabProps & { setup: ProjectSetup }) {
  const { draft, setDraft, isChanged, isNewer, settle, save } = useSetupDraft(project.id, setup, "script");
  const { run, busy, error } = useAction();
  const readOnly = !mayChange || !!project.remove_at;
  const mode = NETWORK_MODES.find(({ name }) => name === setup.network);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(save);
  };
  return (
    <form className="settings-form stack items-start gap-16" onSubmit={submit} aria-label="Set-up script">
      <label className="field">
        <span>Script</span>
        <textarea
          rows={6}
          className="mono"
          spellCheck={false}
          readOnly={readOnly}
          value={draft}
          placeholder="npm ci"
          onChange={(event) => setDraft(event.target.value)}
        />
      </label>
      <p className="muted">
        Runs with bash before the first step in a workspace, once for each state of the script and the lock
        files. If it is empty, <code>.agentsite/setup.sh</code>, <code>devcontainer.json</code> or{" "}
        <code>.cursor/environment.json</code> of the repository count, and a person is asked first. Network:{" "}
        {mode?.label ?? setup.network}.
      </p>
      {error !== null && <FieldsProblem error={error} />}
      {isNewer && (
        <NewerText changedBy={setup.changed_by} saved={setup.script} draft={draft} onChoice={settle} />
      )}
      {!readOnly && (
        <button type="submit" className="button primary" disabled={busy || !isChanged || isNewer}>
          Save script
        </button>
      )}
    </form>
  );
}

function Runs({ projectId }: { projectId: string }) {
  const runs = useQuery({
    queryKey: runsKeyOf(projectId),
    queryFn: () => listSetupRuns(projectId),
    refetchInterval: REFRESH_MS,
  });
  return (
    <div className="stack">
      <h3>Last runs</h3>
      {runs.isPending && <Skeleton rows={2} label="Loading runs" />}
      {runs.error && !runs.data && <Problem error={runs.error} onRetry={runs.refetch} />}
      {runs.data?.items.length === 0 && <p className="muted">Set-up has not run yet.</p>}
      <ul className="ruled-top" aria-label="Last runs">
        {runs.data?.items.map((run) => (
          <Run key={run.id} run={run} projectId={projectId} />
        ))}
      </ul>
    </div>
  );
}

function Run({ run, projectId }: { run: SetupRun; projectId: string }) {
  const action = useAction();
  const again = () =>
    void action.run(async () => {
      await runSetupAgain(run.session_id);
      await queryClient.invalidateQueries({ queryKey: runsKeyOf(projectId) });
    });
  const about = (
    <span className="cluster gap-8 gap-y-0 small muted">
      <span>{run.exit_code === null ? STATE_TEXTS[run.state] : outcome(run)}</span>
      <time dateTime={run.created_at}>{formatAgo(run.created_at)}</time>
    </span>
  );
  const isOpen = run.state === "running" || run.state === "waiting";
  return (
    <ExpandableRow
      name={visibleLine(run.workspace_name)}
      about={about}
      testId="setup-run"
      error={action.error}
      aside={
        <button type="button" className="button" disabled={action.busy || isOpen} onClick={again}>
          Run again
        </button>
      }
    >
      <Log run={run} projectId={projectId} />
    </ExpandableRow>
  );
}

/** Returns how a run ended, such as "Failed with exit code 3 after 2 s". */
function outcome(run: SetupRun): string {
  const code = run.exit_code === 0 ? "" : ` with exit code ${run.exit_code}`;
  const began = Date.parse(run.started_at ?? run.created_at);
  const after = run.ended_at ? ` after ${formatDuration(Date.parse(run.ended_at) - began)}` : "";
  return `${STATE_TEXTS[run.state]}${code}${after}`;
}

function Log({ run, projectId }: { run: SetupRun; projectId: string }) {
  const log = useQuery({
    queryKey: [...runsKeyOf(projectId), run.id],
    queryFn: () => readSetupRun(projectId, run.id),
    refetchInterval: run.ended_at ? false : REFRESH_MS,
  });
  return (
    <>
      {log.isPending && <Skeleton rows={2} label="Loading the output" />}
      {log.error && !log.data && <Problem error={log.error} onRetry={log.refetch} />}
      {log.data && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard
        <pre className="boxed" tabIndex={0}>
          {visible(log.data.output) || "(no output yet)"}
        </pre>
      )}
      <Link href={`/sessions/${run.session_id}`} className="link small">
        View in its session
      </Link>
    </>
  );
}
