import { useState } from "react";
import { Link } from "wouter";
import { simulatePolicy } from "../api/policies";
import type { Policy, SimulatedChange, Simulation } from "../api/policyTypes";
import { formatAgo, plural } from "../lib/format";
import { visibleLine } from "../lib/visible";
import { ActionMark, ReasonText } from "../permissions/RuleLine";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { OptionList } from "../ui/OptionList";
import { useAction } from "../ui/useAction";
import { missingParts } from "./document";
import type { PolicyEditing } from "./draft";
import "./rules.css";
import "./tabs.css";
import "./versions.css";

const CALL_COUNTS = [50, 200, 1000] as const;

/** Evaluates past tool calls with the draft and lists those with a different decision. */
export function Simulator({ policy, editing }: { policy: Policy; editing: PolicyEditing }) {
  const [limit, setLimit] = useState(200);
  const [found, setFound] = useState<{ simulation: Simulation; of: string } | null>(null);
  const { run, busy, error } = useAction();
  const text = JSON.stringify(editing.document);
  const missing = missingParts(editing.document)[0];
  const simulate = () =>
    run(async () => {
      setFound({ simulation: await simulatePolicy(policy.place, editing.document, limit), of: text });
    });
  return (
    <section className="simulator" aria-label="Simulator">
      <p className="muted">
        Evaluates past tool calls with {editing.isChanged ? "your draft" : "this policy"} and lists those with
        a different decision. Nothing is executed.
      </p>
      <form
        className="tool-line cluster gap-12 gap-y-8"
        onSubmit={(event) => {
          event.preventDefault();
          void simulate();
        }}
      >
        <label>
          Last{" "}
          <select value={limit} onChange={(event) => setLimit(Number(event.target.value))}>
            <OptionList of={CALL_COUNTS.map((count) => [count, count])} />
          </select>{" "}
          calls
        </label>
        <button type="submit" className="button primary" disabled={busy || !!missing}>
          Simulate
        </button>
        {missing && <span className="muted">{missing}</span>}
      </form>
      {error !== null && <Problem error={error} />}
      {busy && !found && <Skeleton rows={4} label="Simulating" />}
      {found && <SimulationResult simulation={found.simulation} isOld={found.of !== text} />}
    </section>
  );
}

function SimulationResult({ simulation, isOld }: { simulation: Simulation; isOld: boolean }) {
  const { replayed, unchanged, changes } = simulation;
  return (
    <div data-testid="simulation" aria-live="polite">
      {isOld && <p className="text-problem text-failed">The draft has changed. Simulate again.</p>}
      <p className="panel-summary muted number">
        {replayed === 0
          ? "No tool calls were made here yet."
          : `${plural(replayed, "call")} replayed: ${changes.length} would change, ${unchanged} would not.`}
      </p>
      {changes.length > 0 && (
        <ul className="ruled-top simulated">
          {changes.map((change) => (
            <ChangeRow key={change.call_id} change={change} />
          ))}
        </ul>
      )}
    </div>
  );
}

function ChangeRow({ change }: { change: SimulatedChange }) {
  const { before, after, before_decision: was, after_decision: is } = change;
  return (
    <li data-testid="simulated-change">
      <div className="simulated-row line gap-16">
        <span className="simulated-actions inline no-shrink">
          <ActionMark action={before} />
          <Icon name="chevron" size={12} />
          <span className="sr-only">would become</span>
          <ActionMark action={after} />
        </span>
        <span className="simulated-title ellipsis grow medium">
          {visibleLine(change.title || change.tool)}
        </span>
        <Link href={`/sessions/${change.session_id}`} className="link simulated-session ellipsis">
          {change.session_title || "Untitled session"}
        </Link>
        <time className="muted number" dateTime={change.at}>
          {formatAgo(change.at)}
        </time>
      </div>
      <p className="simulated-why stack gap-0 small break-anywhere muted">
        {was && (
          <span>
            Before: <ReasonText reason={was} />
          </span>
        )}
        {is && (
          <span>
            After: <ReasonText reason={is} />
          </span>
        )}
      </p>
    </li>
  );
}
