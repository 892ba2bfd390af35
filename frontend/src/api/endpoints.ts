// Every REST call the interface makes, by the name of what it does.
import { ApiError, raw, request } from "./http";
import type {
  Agent,
  Elsewhere,
  FileDiff,
  Me,
  Message,
  Page,
  PermissionReply,
  PermissionRequest,
  Project,
  Question,
  Session,
  Site,
  Turn,
} from "./types";

const V1 = "/api/v1";
const get = <T>(path: string) => request<T>("GET", V1 + path);
const post = <T>(path: string, body: unknown = {}, headers: Record<string, string> = {}) =>
  request<T>("POST", V1 + path, body, headers);

export const readSite = () => get<Site>("/site");
export const readMe = () => get<Me>("/me");

const SIGN_IN = "/_allauth/browser/v1";

interface AllauthAnswer {
  errors?: { code: string; message: string; param?: string }[];
}

/** Signs in or throws an ApiError that says in plain words what was wrong. */
export async function signIn(email: string, password: string): Promise<void> {
  await raw("GET", `${SIGN_IN}/config`); // sets the CSRF cookie that the next request needs
  const { status, body } = await raw("POST", `${SIGN_IN}/auth/login`, { email, password });
  if (status === 200 || status === 409) return;
  const first = (body as AllauthAnswer | null)?.errors?.[0];
  if (status === 429 || first?.code === "too_many_login_attempts" || status === 403) {
    throw new ApiError(
      status,
      "too_many_attempts",
      "Signing in is paused for this address.",
      "Wait a few minutes and try again.",
    );
  }
  if (status === 400) {
    throw new ApiError(
      status,
      first?.code ?? "bad_login",
      first?.code === "email_password_mismatch" || !first
        ? "The e-mail address and the password do not belong together."
        : first.message,
      "Check both and try again.",
    );
  }
  throw new ApiError(
    status,
    "login_failed",
    "The site could not sign you in.",
    "Try again in a few seconds.",
  );
}

export const signOut = () => raw("DELETE", `${SIGN_IN}/auth/session`);

export const listProjects = () => get<Page<Project>>("/projects?limit=100");
export const readProject = (id: string) => get<Project>(`/projects/${id}`);
export const listProjectSessions = (id: string) => get<Page<Session>>(`/projects/${id}/sessions?limit=100`);
export const listSessions = (status?: "waiting" | "running", limit = 20) =>
  get<Page<Session>>(`/sessions?limit=${limit}${status ? `&status=${status}` : ""}`);
export const listAgents = () => get<Page<Agent>>("/agents");

export interface NewSession {
  title?: string;
  agent?: string;
  workspace_id?: string;
  new_workspace?: boolean;
}
export const createSession = (projectId: string, body: NewSession = {}) =>
  post<Session>(`/projects/${projectId}/sessions`, body);
export const changeSession = (id: string, change: Partial<Pick<Session, "title" | "agent" | "archived">>) =>
  request<Session>("PATCH", `${V1}/sessions/${id}`, change);
export const readSession = (id: string) => get<Session>(`/sessions/${id}`);

/** `key` makes a repeated request harmless: the server sees the same prompt only once. */
export const sendPrompt = (sessionId: string, text: string, key: string) =>
  post<{ turn: Turn; message: Message }>(
    `/sessions/${sessionId}/prompts`,
    { text },
    { "Idempotency-Key": key },
  );
export const abortSession = (sessionId: string) => post<Session>(`/sessions/${sessionId}/abort`);
export const readDiff = (sessionId: string) => get<{ files: FileDiff[] }>(`/sessions/${sessionId}/diff`);

export const listOpenRequests = () =>
  get<Page<Elsewhere<PermissionRequest>>>("/permission-requests?state=open");
export const replyPermission = (id: string, reply: PermissionReply) =>
  post<PermissionRequest>(`/permission-requests/${id}/reply`, reply);
export const listOpenQuestions = () => get<Page<Elsewhere<Question>>>("/questions?state=open");
export const replyQuestion = (id: string, answers: string[][]) =>
  post<Question>(`/questions/${id}/reply`, { answers });
export const rejectQuestion = (id: string) => post<Question>(`/questions/${id}/reject`);
