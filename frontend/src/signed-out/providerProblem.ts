// What a provider of identities sent somebody back with, in words.
import { ApiError } from "../api/http";

const WORDS: Readonly<Record<string, [message: string, hint: string]>> = {
  signup_closed: [
    "There is no account for you here yet.",
    "Ask to be invited with the address that the provider knows you by.",
  ],
  reauthentication_required: ["This takes a fresh confirmation.", "Confirm who you are, then link again."],
  connected_other: [
    "Another account is linked with this one.",
    "Sign in with it, and unlink it there first.",
  ],
  cancelled: ["Signing in was cancelled.", "Nothing has changed."],
  denied: ["The provider refused.", "Ask the people who run it."],
  permission_denied: ["This account may not sign in here.", "Ask the people who run this site."],
};

/** Null when nothing went wrong. */
export function providerProblem(query: string): ApiError | null {
  const code = new URLSearchParams(query).get("error");
  if (!code) return null;
  const [message, hint] = WORDS[code] ?? [
    "The provider could not sign you in.",
    "Try again in a few minutes.",
  ];
  return new ApiError(403, code, message, hint);
}
