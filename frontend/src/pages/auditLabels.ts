const ACTION_LABELS: Readonly<Record<string, string>> = {
  "policy.saved": "Policy saved",
  "policy.rolled_back": "Policy rolled back",
  "request.answered": "Permission request answered",
  "request.approved": "First of two approvals given",
  "request.expired": "Permission request expired",
  "call.decided": "Tool call decided",
  "grant.added": "Grant added",
  "grant.revoked": "Grant revoked",
  "operator.access_opened": "Operator access granted",
  "operator.session_read": "Operator read session",
  "operator.access_ended": "Operator access ended",
  "audit.kept": "Retention changed",
  "audit.cut": "Old entries deleted",
};

/** What was decided, for entries of these actions: the field that says it, and its values in words. */
const DECISIONS: Readonly<Record<string, { field: string; words: Readonly<Record<string, string>> }>> = {
  "request.answered": {
    field: "reply",
    words: { once: "allowed once", always: "always allowed", rejected: "rejected", cancelled: "withdrawn" },
  },
  "call.decided": { field: "action", words: { allow: "allowed", ask: "asked a person", deny: "denied" } },
};

/** Labels an entry: its action, and what was decided: "Tool call decided: denied". */
export function entryLabel(action: string, data: Readonly<Record<string, unknown>>): string {
  const decision = Object.hasOwn(DECISIONS, action) ? DECISIONS[action] : undefined;
  const value = decision ? data[decision.field] : undefined;
  if (!decision || typeof value !== "string") return actionLabel(action);
  const words = Object.hasOwn(decision.words, value) ? decision.words[value] : value;
  return `${actionLabel(action)}: ${words}`;
}

/** Labels an action: "policy.saved" as "Policy saved". Unknown actions are shown without punctuation. */
export function actionLabel(action: string): string {
  if (Object.hasOwn(ACTION_LABELS, action)) return ACTION_LABELS[action] as string;
  const words = action.replace(/[._]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
