// The right to answer a permission request, and the reason why a person may not.
import type { Approvers } from "../api/policyTypes";
import type { Me, PermissionRequest, Scope, User } from "../api/types";

export type Role = Me["teams"][number]["role"];

export interface AnswerRights {
  may: boolean;
  /** A person who approved can still reject while the second approval is missing. */
  mayReject: boolean;
  /** Why the person may not answer, in a sentence; empty if they may. */
  why: string;
}

export interface Person {
  id: string;
  role: Role | null;
}

const MAY_ANSWER: AnswerRights = { may: true, mayReject: true, why: "" };
const mayNotAnswer = (why: string): AnswerRights => ({ may: false, mayReject: false, why });

export const isAdmin = (role: Role | null): boolean => role === "owner" || role === "admin";
/** Everybody except viewers can start and share sessions. */
export const mayStart = (role: Role | null): boolean => role !== "viewer";
export const shownName = (person: Pick<User, "name" | "email">): string => person.name || person.email;

const WHO_CAN_ANSWER: Record<Approvers, string> = {
  member: "Members and admins of the team can answer.",
  starter: "Only the person who started this turn, or an admin, can answer.",
  admin: "Only an admin of the team can answer.",
  two_people: "Two people who are members or admins of the team must approve.",
};

/** Says to a person who cannot act in the session who can answer. `approvers` of a question is "member". */
export function whoCanAnswer(approvers: Approvers, role: Role | null): string {
  if (role === "viewer") return `Viewers cannot answer. ${WHO_CAN_ANSWER[approvers]}`;
  return role === null ? WHO_CAN_ANSWER[approvers] : "Nobody can answer while the team is deactivated.";
}

/** Whether the person can answer. Only hides buttons that would fail: the server decides. */
export function mayAnswer(
  request: Pick<PermissionRequest, "approvers" | "approvals" | "started_by_id">,
  person: Person,
  canAct: boolean,
): AnswerRights {
  if (!canAct || person.role === "viewer") {
    return mayNotAnswer(whoCanAnswer(request.approvers, person.role));
  }
  if (request.approvals.some((given) => given.person.id === person.id)) {
    return { ...mayNotAnswer("You approved. One more approval is needed."), mayReject: true };
  }
  if (person.role === null || isAdmin(person.role)) return MAY_ANSWER; // the role is not known yet, so the server decides
  if (request.approvers === "admin") return mayNotAnswer(WHO_CAN_ANSWER.admin);
  if (request.approvers === "starter" && request.started_by_id !== person.id) {
    return mayNotAnswer(WHO_CAN_ANSWER.starter);
  }
  return MAY_ANSWER;
}

const SHORT_APPROVERS: Record<Approvers, string> = {
  member: "a member",
  starter: "the person who started it",
  admin: "an admin",
  two_people: "another person",
};

/** Says in a few words whom a call waits for. */
export const waitingLabel = (may: boolean, approvers: Approvers): string =>
  `waiting for ${may ? "you" : SHORT_APPROVERS[approvers]}`;

/** "1 of 2 people approved: Dana"; empty if one approval is enough. */
export function approvalText(request: Pick<PermissionRequest, "approvers" | "approvals">): string {
  if (request.approvers !== "two_people") return "";
  const names = request.approvals.map((given) => shownName(given.person));
  if (names.length === 0) return "Two people must approve.";
  return `${names.length} of 2 people approved: ${names.join(", ")}.`;
}

/**
 * Returns the scopes that this person can grant. Only admins can grant for the whole team unless a policy
 * allows it.
 */
export function scopesFor(scopes: readonly Scope[], role: Role | null): Scope[] {
  return isAdmin(role) ? [...scopes] : scopes.filter((scope) => scope !== "team");
}

export const APPROVER_LABELS: Record<Approvers, string> = {
  member: "Any member",
  starter: "The person who started the turn, or an admin",
  admin: "An admin",
  two_people: "Two different people",
};

const HOUR_MS = 3_600_000;
const EXPIRES_SOON_MS = 4 * HOUR_MS;

/** "Denied automatically in 3 h" if that is soon, or if a policy limits the waiting time; else empty. */
export function expiryText(
  request: Pick<PermissionRequest, "created_at" | "expires_at">,
  now: number,
): string {
  const end = Date.parse(request.expires_at ?? "");
  if (Number.isNaN(end)) return "";
  const left = end - now;
  const whole = end - Date.parse(request.created_at);
  if (left > EXPIRES_SOON_MS && whole > EXPIRES_SOON_MS) return "";
  return left <= 0 ? "Expired. It is denied now." : `Denied automatically in ${span(left)}.`;
}

function span(milliseconds: number): string {
  const minutes = Math.ceil(milliseconds / 60_000);
  if (minutes < 2) return "a minute";
  if (minutes < 90) return `${minutes} min`;
  return `${Math.round(minutes / 60)} h`;
}
