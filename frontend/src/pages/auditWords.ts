const WORDS: Readonly<Record<string, string>> = {
  "policy.saved": "Policy saved",
  "policy.rolled_back": "Policy rolled back",
  "grant.given": "Grant given",
  "grant.revoked": "Grant revoked",
  "permission.asked": "Permission asked",
  "permission.answered": "Permission answered",
  "permission.approved": "First of two said yes",
  "permission.settled": "Permission settled",
  "permission.expired": "Permission expired",
};

/** "policy.saved" as "Policy saved"; an unknown action reads as it is, without its signs. */
export function actionWords(action: string): string {
  if (Object.hasOwn(WORDS, action)) return WORDS[action] as string;
  const words = action.replace(/[._]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
