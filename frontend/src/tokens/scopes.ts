// Labels of scopes and lifetimes of API tokens.
import type { Scope } from "../api/tokens";

export const SCOPES: readonly Scope[] = ["read", "sessions:write", "answer", "terminal", "admin", "tokens"];
export const DEFAULT_SCOPES: readonly Scope[] = ["read", "sessions:write"];

export const SCOPE_LABELS: Record<Scope, string> = {
  read: "View projects, sessions and files",
  "sessions:write": "Start sessions, prompt agents and answer their questions",
  answer: "Decide permission requests",
  terminal: "Open terminals in workspaces and type into them",
  admin: "Change teams, projects, policies, providers and webhooks",
  tokens: "Create and revoke API tokens",
};

export const LIFETIMES: readonly { days: number; label: string }[] = [
  { days: 7, label: "7 days" },
  { days: 30, label: "30 days" },
  { days: 90, label: "90 days" },
  { days: 365, label: "1 year" },
  { days: 0, label: "Never" },
];

export function expiryAfter(days: number, now: Date = new Date()): string | null {
  return days === 0 ? null : new Date(now.getTime() + days * 86_400_000).toISOString();
}
