import type { Action, Match, WhyDecision } from "../api/policyTypes";
import { plural } from "../lib/format";
import { visibleLine } from "../lib/visible";
import { layerLabel } from "./layers";
import { ActionMark, ReasonText, RuleLabel } from "./RuleLine";
import "./why.css";

const STRICTNESS: Record<Action, number> = { deny: 0, ask: 1, allow: 2 };

/** Sorts the strictest decision, which decides the call, first. */
const strictestFirst = (decisions: readonly WhyDecision[]): WhyDecision[] =>
  [...decisions].sort((a, b) => STRICTNESS[a.action] - STRICTNESS[b.action]);

/** The decision for each permission of a call: the deciding rule, its layer, and other rules that matched. */
export function DecisionList({ decisions }: { decisions: readonly WhyDecision[] }) {
  if (decisions.length === 0) return <p className="muted">No permission was needed.</p>;
  return (
    <ul className="stack gap-12">
      {strictestFirst(decisions).map((decision) => (
        <li
          key={`${decision.permission} ${decision.pattern}`}
          className="stack gap-2"
          data-testid="why-decision"
        >
          <p className="cluster gap-y-4">
            <ActionMark action={decision.action} />
            <code>
              {decision.permission} {visibleLine(decision.pattern)}
            </code>
          </p>
          <p className="muted">
            <ReasonText reason={decision} />
            {decision.limit && <span className="why-limit">A limit: lower levels cannot loosen it.</span>}
          </p>
          <MatchingRules trace={decision.trace} />
        </li>
      ))}
    </ul>
  );
}

function MatchingRules({ trace }: { trace: readonly Match[] }) {
  if (trace.length === 0) return null;
  return (
    <details className="why-trace">
      <summary>
        {plural(trace.length, "other rule")} matched{trace.length > 1 && ", weakest first"}
      </summary>
      <ol className="muted">
        {trace.map((match, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a trace never changes
          <li key={index}>
            {layerLabel(match.layer)}: <RuleLabel rule={match.rule} />
            {match.limit && <span className="why-limit">limit</span>}
          </li>
        ))}
      </ol>
    </details>
  );
}
