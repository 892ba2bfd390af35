// Error messages for people who return from an identity provider.
import { ApiError } from "../api/http";

const MESSAGES: Readonly<Record<string, [message: string, hint: string]>> = {
  signup_closed: [
    "You do not have an account here yet.",
    "Ask for an invitation to the e-mail address that you use at the provider.",
  ],
  reauthentication_required: [
    "You must confirm that it is you first.",
    "Confirm that it is you, then link again.",
  ],
  connected_other: [
    "This identity is already linked to another account.",
    "Sign in to that account and unlink it there first.",
  ],
  cancelled: ["Signing in was cancelled.", "Nothing has changed."],
  denied: ["The provider denied the sign-in.", "Contact the provider."],
  permission_denied: ["This account cannot sign in here.", "Contact an operator of this site."],
};

/** Returns the error that the query names; null if there is none. */
export function providerProblem(query: string): ApiError | null {
  const code = new URLSearchParams(query).get("error");
  if (!code) return null;
  const [message, hint] = MESSAGES[code] ?? [
    "The provider could not sign you in.",
    "Try again in a few minutes.",
  ];
  return new ApiError(403, code, message, hint);
}
