import { useMemo, useRef } from "react";
import { useAgents } from "../agents/queries";
import type { CheckedExpectation, Expectation, Policy, PolicyDocument } from "../api/policyTypes";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";
import { useDebounced } from "../ui/useDebounced";
import { EMPTY_EXPECTATION, missingParts, replaced, without } from "./document";
import type { PolicyEditing } from "./draft";
import { ExpectationRow } from "./ExpectationRow";
import { fieldLabel } from "./fieldLabel";
import { focusCell } from "./focusCell";
import { useCheck } from "./queries";
import "./rules.css";
import "./tabs.css";

const CHECK_DELAY_MS = 500;

/** Calls and the decisions they must get. They are checked while editing and on every save. */
export function Expectations({ policy, editing }: { policy: Policy; editing: PolicyEditing }) {
  const box = useRef<HTMLElement>(null);
  const { expectations } = editing.document;
  const { results, problems, error } = useLiveCheck(policy, editing.document);
  const agents = useAgents(policy.place).data?.items.map((agent) => agent.name) ?? ["build"];
  const set = (next: Expectation[]) => editing.change({ expectations: next });
  const add = () => {
    set([...expectations, EMPTY_EXPECTATION]);
    focusCell(box.current, expectations.length, "pattern");
  };
  const remove = (at: number) => {
    set(without(expectations, at));
    focusCell(box.current, Math.min(at, expectations.length - 2), "delete");
  };
  return (
    <section className="expectations" ref={box} aria-label="Expectations">
      <p className="muted">
        Tool calls that must be allowed, ask or be denied. A policy that fails one of them cannot be saved.
      </p>
      {error !== null && <Problem error={error} />}
      {problems.map((problem) => (
        <p key={problem.field} className="text-problem text-failed">
          {fieldLabel(problem.field)}: {problem.message}
        </p>
      ))}
      {expectations.length === 0 && <p className="empty-tab text-faint">No expectations yet.</p>}
      <ul className="expectation-rows">
        {expectations.map((item, index) => (
          <ExpectationRow
            // biome-ignore lint/suspicious/noArrayIndexKey: an expectation is its place; every field is controlled
            key={index}
            item={item}
            index={index}
            agents={agents}
            result={results.get(index)}
            readOnly={!policy.can_edit}
            onChange={(next) => set(replaced(expectations, index, next))}
            onRemove={() => remove(index)}
          />
        ))}
      </ul>
      {policy.can_edit && (
        <button type="button" className="button" data-add onClick={add}>
          <Icon name="plus" /> Add expectation
        </button>
      )}
    </section>
  );
}

/** Checks the draft. Results are dropped as soon as the document differs from the one that was checked. */
function useLiveCheck(policy: Policy, document: PolicyDocument) {
  const text = JSON.stringify(document);
  const settled = useDebounced(text, CHECK_DELAY_MS);
  const settledDocument = useMemo(() => JSON.parse(settled) as PolicyDocument, [settled]);
  const canCheck =
    policy.can_edit && settledDocument.expectations.length > 0 && missingParts(settledDocument).length === 0;
  const check = useCheck(policy.place, settledDocument, canCheck);
  const isCurrent = canCheck && settled === text && !check.isPlaceholderData;
  const found: CheckedExpectation[] = (isCurrent && check.data?.expectations) || [];
  return {
    results: new Map(found.map((item) => [item.index, item])),
    problems: (isCurrent && check.data?.problems) || [],
    error: isCurrent ? check.error : null,
  };
}
