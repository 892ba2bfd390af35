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

/** Labels an action: "policy.saved" as "Policy saved". Unknown actions are shown without punctuation. */
export function actionLabel(action: string): string {
  if (Object.hasOwn(ACTION_LABELS, action)) return ACTION_LABELS[action] as string;
  const words = action.replace(/[._]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
