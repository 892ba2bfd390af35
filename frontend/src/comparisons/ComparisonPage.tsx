import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { type Attempt, type Comparison, keepAttempt, readComparison } from "../api/comparisons";
import { hasCode } from "../api/http";
import { useTabTitle } from "../app/live";
import { usePerson } from "../app/person";
import { refreshSessions, useDiff, useMe, useSession } from "../app/queries";
import { formatClock, formatCost, formatCount, formatDuration, plural, tokensTotal } from "../lib/format";
import { NotFound } from "../pages/NotFound";
import { isAdmin } from "../permissions/approvers";
import { ConfirmDialog } from "../ui/ConfirmDialog";
import { Problem, Skeleton } from "../ui/Notice";
import { useNow } from "../ui/useNow";
import { Changes } from "../workbench/Changes";
import "./comparisons.css";

const POLL_MS = 3_000;
const OPEN_STATES = ["queued", "running", "waiting"];

const isWorking = (attempt: Attempt): boolean => OPEN_STATES.includes(attempt.turn?.state ?? "");

/** Several attempts at one prompt side by side: changes, cost, time and tests. One of them is kept. */
export function ComparisonPage({ comparisonId }: { comparisonId: string }) {
  const found = useQuery({
    queryKey: ["comparison", comparisonId],
    queryFn: () => readComparison(comparisonId),
    refetchInterval: ({ state }) => (state.data?.attempts.some(isWorking) ? POLL_MS : false),
    retry: false,
  });
  useTabTitle("Attempts", 0);
  if (hasCode(found.error, "not_found")) return <NotFound what="comparison" />;
  if (found.error && !found.data) return <Problem error={found.error} onRetry={found.refetch} />;
  if (!found.data) return <Skeleton rows={8} label="Loading the attempts" />;
  return <Loaded comparison={found.data} />;
}

function Loaded({ comparison }: { comparison: Comparison }) {
  const canKeep = useCanKeep(comparison);
  return (
    <main className="comparison-page" id="main">
      <header className="stack gap-6">
        <h1>{plural(comparison.attempts.length, "attempt")}</h1>
        <p className="comparison-prompt pre-wrap break-anywhere">{comparison.prompt}</p>
        <p className="small muted">
          <Link href={`/sessions/${comparison.session_id}`} className="link">
            The session they started from
          </Link>
          {comparison.files_at
            ? `, with the files of ${formatClock(comparison.files_at)}.`
            : ", with the project's initial files."}
          {comparison.test_command && (
            <>
              {" "}
              Test command: <code className="chip">{comparison.test_command}</code>
            </>
          )}
        </p>
      </header>
      <div className="attempts">
        {comparison.attempts.map((attempt, place) => (
          <AttemptColumn
            key={attempt.session.id}
            attempt={attempt}
            number={place + 1}
            comparison={comparison}
            canKeep={canKeep}
          />
        ))}
      </div>
    </main>
  );
}

/** Whether the person started the attempts or manages the team's sessions. The server decides. */
function useCanKeep(comparison: Comparison): boolean {
  const me = useMe().data?.user.id;
  const { role } = usePerson(useSession(comparison.session_id).data?.project_id);
  if (role === null || role === "viewer") return false;
  return comparison.created_by?.id === me || isAdmin(role);
}

interface ColumnProps {
  attempt: Attempt;
  number: number;
  comparison: Comparison;
  canKeep: boolean;
}

function AttemptColumn({ attempt, number, comparison, canKeep }: ColumnProps) {
  const { session } = attempt;
  const isKept = comparison.kept_id === session.id;
  const isGone = attempt.workspace_state === "removing";
  return (
    <section
      className="attempt boxed stack gap-8"
      aria-label={`Attempt ${number}`}
      data-testid="attempt"
      data-kept={isKept || undefined}
    >
      <header className="cluster between">
        <h2>
          Attempt {number}
          {isKept && <span className="badge">Kept</span>}
        </h2>
        <Link href={`/sessions/${session.id}`} className="button">
          Open
        </Link>
      </header>
      <Facts attempt={attempt} />
      {canKeep && comparison.kept_id === null && (
        <Keep comparison={comparison} attempt={attempt} number={number} />
      )}
      {isGone ? (
        <p className="small muted">
          Not kept. Its workspace can be restored until it is deleted; see <i>Workspaces</i>.
        </p>
      ) : (
        <AttemptChanges attempt={attempt} number={number} />
      )}
    </section>
  );
}

const STATES: Record<string, string> = {
  queued: "Waiting for a worker",
  running: "Works",
  waiting: "Waits for an answer",
  completed: "Done",
  aborted: "Stopped",
  failed: "Failed",
};
const TESTS: Record<Attempt["test"], string> = {
  "": "",
  not_run: "Not run",
  running: "Running",
  passed: "Passed",
  failed: "Failed",
};

function Facts({ attempt }: { attempt: Attempt }) {
  const { session, turn, test, exit_code: code } = attempt;
  const now = useNow(isWorking(attempt));
  const end = turn?.ended_at ? Date.parse(turn.ended_at) : now;
  const model = session.model || "Model of the session";
  const facts: [string, string][] = [
    ["State", turn ? (STATES[turn.state] ?? turn.state) : "Not started"],
    ["Model", model],
    [
      "Cost",
      `${formatCost(session.cost, session.unpriced_calls)}, ${formatCount(tokensTotal(session.tokens))} tokens`,
    ],
    [
      "Time",
      turn ? `${formatDuration(end - Date.parse(turn.created_at))}, ${plural(turn.step_count, "step")}` : "",
    ],
    ["Tests", test === "failed" && code !== null ? `Failed (exit code ${code})` : TESTS[test]],
  ];
  return (
    <>
      <dl className="attempt-facts small">
        {facts.map(
          ([name, value]) =>
            value && (
              <div key={name} className={value.startsWith("Failed") ? "text-failed" : undefined}>
                <dt className="muted">{name}</dt>
                <dd className="number break-anywhere">{value}</dd>
              </div>
            ),
        )}
      </dl>
      {turn?.error && <p className="small text-failed">{turn.error.message}</p>}
    </>
  );
}

function AttemptChanges({ attempt, number }: { attempt: Attempt; number: number }) {
  const changes = useDiff(attempt.session.id, attempt.turn?.step_count ?? 0);
  return (
    <div className="attempt-changes">
      <Changes sessionId={attempt.session.id} changes={changes} of={`attempt ${number}`} />
    </div>
  );
}

interface KeepProps {
  comparison: Comparison;
  attempt: Attempt;
  number: number;
}

function Keep({ comparison, attempt, number }: KeepProps) {
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const keep = async () => {
    const kept = await keepAttempt(comparison.id, attempt.session.id);
    queries.setQueryData(["comparison", comparison.id], kept);
    refreshSessions();
  };
  return (
    <>
      <button type="button" className="button" onClick={() => setAsking(true)}>
        Keep attempt {number}…
      </button>
      <ConfirmDialog
        open={isAsking}
        title={`Keep attempt ${number}?`}
        verb="Keep this one"
        onConfirm={keep}
        onClose={() => setAsking(false)}
      >
        <p>
          The other attempts are stopped and archived. Their workspaces are deleted after the grace period,
          and can be restored until then.
        </p>
      </ConfirmDialog>
    </>
  );
}
