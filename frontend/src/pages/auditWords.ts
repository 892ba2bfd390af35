const WORDS: Readonly<Record<string, string>> = {
  "policy.saved": "Policy saved",
  "policy.rolled_back": "Policy rolled back",
  "request.answered": "Request answered",
  "request.approved": "First of two said yes",
  "request.expired": "Request expired",
  "call.decided": "Call decided",
  "grant.added": "Grant added",
  "grant.revoked": "Grant revoked",
  "operator.access_opened": "Operator may read",
  "operator.session_read": "Operator read it",
  "operator.access_ended": "Operator's access ended",
  "audit.kept": "Retention changed",
  "audit.cut": "Old entries deleted",
};

/** "policy.saved" as "Policy saved"; an unknown action reads as it is, without its signs. */
export function actionWords(action: string): string {
  if (Object.hasOwn(WORDS, action)) return WORDS[action] as string;
  const words = action.replace(/[._]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
