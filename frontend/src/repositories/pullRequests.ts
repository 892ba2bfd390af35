// Texts about pull requests. Pure functions.
import type { PullRequest } from "../api/pullRequests";

/** Says in a few words how the checks of a pull request stand, such as "2 of 3 checks passed". */
export function checksSummary(checks: PullRequest["checks"]): string {
  if (checks.length === 0) return "no checks";
  const failed = checks.filter(({ state }) => state === "failure").map(({ name }) => name);
  if (failed.length > 0) return `failed: ${failed.join(", ")}`;
  const passed = checks.filter(({ state }) => state === "success").length;
  const all = `${checks.length} ${checks.length === 1 ? "check" : "checks"}`;
  return passed === checks.length ? `${all} passed` : `${passed} of ${all} passed`;
}
