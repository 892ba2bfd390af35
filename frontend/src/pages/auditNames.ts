// Names of what entries of the audit log refer to, with links to their pages.
import type { AuditEntry } from "../api/policyTypes";
import { visibleLine } from "../lib/visible";
import { policyPath } from "../policies/paths";
import { teamPath } from "../team/paths";
import { workspacePath } from "../workspaces/paths";

/** Names of people and projects by public id. */
export type Names = Readonly<Record<string, string>>;

export interface NamedReference {
  id: string;
  label: string;
  /** Missing if there is no page for it or it was deleted. */
  href?: string;
}

const KIND_LABELS: Readonly<Record<string, string>> = {
  agt: "An agent",
  bud: "A budget",
  call: "A tool call",
  gra: "A grant",
  inv: "An invitation",
  mem: "A member",
  opa: "An operator's access",
  per: "A permission request",
  pol: "A policy",
  prj: "A project",
  pvd: "A provider",
  que: "A question",
  ses: "A session",
  shl: "A share link",
  tea: "The team",
  tok: "An API token",
  usr: "A person",
  whk: "A webhook",
  wsp: "A workspace",
};
const ID = /^[a-z]+_[0-9a-f]{32}$/;
const TITLE_KEYS = ["title", "name", "email", "slug"] as const;

export function subjectOf(entry: AuditEntry, names: Names, teamId: string): NamedReference | null {
  const id = entry.subject;
  if (!id) return null;
  const label = names[id] ?? titleIn(entry.data) ?? KIND_LABELS[kindOf(id)] ?? id;
  return named(id, label, pathOf(id, entry, teamId));
}

export function projectOf(entry: AuditEntry, names: Names): NamedReference | null {
  if (!entry.project) return null;
  const name = names[entry.project];
  return named(entry.project, name ?? "A deleted project", name ? `/projects/${entry.project}` : undefined);
}

/** Returns what a value of an entry's data refers to, if it is an id. */
export function referenceIn(
  value: unknown,
  entry: AuditEntry,
  names: Names,
  teamId: string,
): NamedReference | null {
  if (typeof value !== "string" || !ID.test(value)) return null;
  const label = names[value] ?? KIND_LABELS[kindOf(value)];
  return label ? named(value, label, pathOf(value, entry, teamId)) : null;
}

/** Returns the session that an entry happened in, if it is not the entry's subject. */
export function sessionOf(entry: AuditEntry): NamedReference | null {
  const id = entry.data.session;
  if (typeof id !== "string" || !id.startsWith("ses_") || id === entry.subject) return null;
  return named(id, "The session", `/sessions/${id}`);
}

export function actorOf(entry: AuditEntry): NamedReference {
  const name = entry.actor === "site" ? "The site" : entry.actor_name;
  return { id: entry.actor, label: visibleLine(name || "Unnamed person") };
}

const kindOf = (id: string): string => id.slice(0, Math.max(id.indexOf("_"), 0));
const named = (id: string, label: string, href?: string): NamedReference => ({
  id,
  label: visibleLine(label),
  ...(href ? { href } : {}),
});

function titleIn(data: AuditEntry["data"]): string | undefined {
  for (const name of TITLE_KEYS) {
    const value = data[name];
    if (typeof value === "string" && value) return value;
  }
  return undefined;
}

const TABS: Readonly<Record<string, string>> = {
  bud: "budgets",
  inv: "invitations",
  mem: "members",
  pvd: "providers",
  shl: "sharing",
  tok: "tokens",
  usr: "members",
  whk: "webhooks",
};

function pathOf(id: string, entry: AuditEntry, teamId: string): string | undefined {
  const kind = kindOf(id);
  if (entry.action.endsWith(".deleted")) return undefined;
  if (kind === "ses") return `/sessions/${id}`;
  if (kind === "prj") return `/projects/${id}`;
  if (kind === "wsp") return workspacePath(id);
  if (kind === "tea") return teamPath(teamId);
  if (kind === "pol") return policyPath(entry.project || teamId);
  return TABS[kind] ? teamPath(teamId, TABS[kind]) : undefined;
}
