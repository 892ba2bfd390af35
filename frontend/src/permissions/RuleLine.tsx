import type { Action, Rule } from "../api/policyTypes";
import type { Reason } from "../api/types";
import { visibleLine } from "../lib/visible";
import { Icon, type IconName } from "../ui/Icon";
import { ACTION_LABELS, isNotApplied, layerLabel, NOT_APPLIED_TEXT, ruleText } from "./layers";
import "./why.css";

const ICONS: Record<Action, IconName> = { allow: "check", ask: "question", deny: "close" };

/** A decision as a word with an icon, so that colour is not the only sign. */
export function ActionMark({ action, word = ACTION_LABELS[action] }: { action: Action; word?: string }) {
  return (
    <span className={`action-mark inline gap-4 medium action-${action}`} data-action={action}>
      <Icon name={ICONS[action]} size={12} />
      {word}
    </span>
  );
}

/** A rule as text: "ask before `git push *`". */
export function RuleLabel({ rule }: { rule: Rule }) {
  const { verb, label: any, code } = ruleText(rule);
  return (
    <>
      {verb} {any || <code className="chip">{visibleLine(code)}</code>}
    </>
  );
}

/** A reason as text: "Your team's policy says: ask before `git push *`." */
export function ReasonText({ reason }: { reason: Reason }) {
  if (!reason.rule) {
    return (
      <>
        No rule covers{" "}
        <code className="chip">
          {reason.permission} {visibleLine(reason.pattern)}
        </code>
        , so a person is asked.
      </>
    );
  }
  return (
    <>
      {layerLabel(reason.layer)} says: <RuleLabel rule={reason.rule} />
      {isNotApplied(reason) && `, ${NOT_APPLIED_TEXT}`}.
    </>
  );
}
