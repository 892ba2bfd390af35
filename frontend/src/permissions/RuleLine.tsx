import type { Action, Rule } from "../api/policyTypes";
import type { Reason } from "../api/types";
import { visibleLine } from "../lib/visible";
import { Icon, type IconName } from "../ui/Icon";
import { ACTION_DONE, HELD_BACK, isHeldBack, layerWords, ruleWords } from "./layers";

const ICONS: Record<Action, IconName> = { allow: "check", ask: "question", deny: "close" };

/** A decision as a word with an icon, so that colour is not the only sign. */
export function ActionMark({ action, word = ACTION_DONE[action] }: { action: Action; word?: string }) {
  return (
    <span className={`action-mark action-${action}`} data-action={action}>
      <Icon name={ICONS[action]} size={12} />
      {word}
    </span>
  );
}

/** A rule as text: "ask before `git push *`". */
export function RuleText({ rule }: { rule: Rule }) {
  const { verb, any, code } = ruleWords(rule);
  return (
    <>
      {verb} {any || <code>{visibleLine(code)}</code>}
    </>
  );
}

/** A reason as text: "Your team's policy says: ask before `git push *`." */
export function ReasonText({ reason }: { reason: Reason }) {
  if (!reason.rule) {
    return (
      <>
        No rule covers{" "}
        <code>
          {reason.permission} {visibleLine(reason.pattern)}
        </code>
        , so a person is asked.
      </>
    );
  }
  return (
    <>
      {layerWords(reason.layer)} says: <RuleText rule={reason.rule} />
      {isHeldBack(reason) && `, ${HELD_BACK}`}.
    </>
  );
}
