// Who may answer a permission request, and what is said to those who may not.
import type { Approvers } from "../api/policyTypes";
import type { Me, PermissionRequest, Scope, User } from "../api/types";

export type Role = Me["teams"][number]["role"];

export interface Answering {
  may: boolean;
  /** Who said yes may still say no while the second person is missing. */
  mayReject: boolean;
  /** Why not, in a sentence; empty when the person may answer. */
  why: string;
}

export interface Person {
  id: string;
  role: Role | null;
}

const YES: Answering = { may: true, mayReject: true, why: "" };
const no = (why: string): Answering => ({ may: false, mayReject: false, why });

export const isAdmin = (role: Role | null): boolean => role === "owner" || role === "admin";
/** Sessions are started, and shared, by everybody but viewers. */
export const mayStart = (role: Role | null): boolean => role !== "viewer";
export const shownName = (person: Pick<User, "name" | "email">): string => person.name || person.email;

/** The server has the last word; this is so that nobody presses a button that cannot work. */
export function mayAnswer(
  request: Pick<PermissionRequest, "approvers" | "approvals" | "started_by_id">,
  person: Person,
  canAct: boolean,
): Answering {
  if (!canAct || person.role === "viewer") {
    return no("Somebody with the right to act in this session has to answer.");
  }
  if (request.approvals.some((given) => given.person.id === person.id)) {
    return { ...no("You said yes. One more person has to."), mayReject: true };
  }
  if (person.role === null || isAdmin(person.role)) return YES; // not known yet: the server decides
  if (request.approvers === "admin") return no("Only an admin of the team may answer.");
  if (request.approvers === "starter" && request.started_by_id !== person.id) {
    return no("Only the person who started this, or an admin, may answer.");
  }
  return YES;
}

/** "1 of 2 people said yes: Dana"; empty where one person is enough. */
export function approvalWords(request: Pick<PermissionRequest, "approvers" | "approvals">): string {
  if (request.approvers !== "two_people") return "";
  const names = request.approvals.map((given) => shownName(given.person));
  if (names.length === 0) return "Two people have to say yes.";
  return `${names.length} of 2 people said yes: ${names.join(", ")}.`;
}

/** The scopes that this person may give: a grant for the whole team is for admins unless a policy says otherwise. */
export function scopesFor(scopes: readonly Scope[], role: Role | null): Scope[] {
  return isAdmin(role) ? [...scopes] : scopes.filter((scope) => scope !== "team");
}

export const APPROVER_WORDS: Record<Approvers, string> = {
  member: "Any member",
  starter: "The person who started the turn, or an admin",
  admin: "An admin",
  two_people: "Two different people",
};

const HOUR = 3_600_000;
const SOON = 4 * HOUR;

/** "Is denied automatically in 3 h", when that is soon or was meant to be from the start; else empty. */
export function expiryWords(
  request: Pick<PermissionRequest, "created_at" | "expires_at">,
  now: number,
): string {
  const end = Date.parse(request.expires_at ?? "");
  if (Number.isNaN(end)) return "";
  const left = end - now;
  const whole = end - Date.parse(request.created_at);
  if (left > SOON && whole > SOON) return "";
  return left <= 0 ? "Its time is over: it is denied now." : `Is denied automatically in ${span(left)}.`;
}

function span(milliseconds: number): string {
  const minutes = Math.ceil(milliseconds / 60_000);
  if (minutes < 2) return "a minute";
  if (minutes < 90) return `${minutes} min`;
  return `${Math.round(minutes / 60)} h`;
}
