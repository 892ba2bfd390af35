// What a token may be used for, in the words of the people who make one.
import type { Scope } from "../api/tokens";

export const SCOPES: readonly Scope[] = ["read", "sessions:write", "answer", "admin", "tokens"];
export const USUAL: readonly Scope[] = ["read", "sessions:write"];

export const SCOPE_WORDS: Record<Scope, string> = {
  read: "See projects, sessions and files",
  "sessions:write": "Open sessions, prompt agents, answer their questions",
  answer: "Decide permission requests",
  admin: "Change teams, projects, policies, providers and webhooks",
  tokens: "Make and revoke tokens",
};

export const LIFETIMES: readonly { days: number; label: string }[] = [
  { days: 7, label: "7 days" },
  { days: 30, label: "30 days" },
  { days: 90, label: "90 days" },
  { days: 365, label: "A year" },
  { days: 0, label: "No end" },
];

export function endOf(days: number, now: Date = new Date()): string | null {
  return days === 0 ? null : new Date(now.getTime() + days * 86_400_000).toISOString();
}
