// API calls for the site, projects, sessions, and pending requests and questions.
import { api, body } from "./http";
import { readAllPages } from "./pages";
import type { NewPrompt, NewSession, PermissionReply, Session } from "./types";

export const readSite = () => body(api.GET("/api/v1/site"));
export const readMe = () => body(api.GET("/api/v1/me"));

export const listProjects = () => body(api.GET("/api/v1/projects", { params: { query: { limit: 100 } } }));
export const readProject = (id: string) =>
  body(api.GET("/api/v1/projects/{project_id}", { params: { path: { project_id: id } } }));
export const listProjectSessions = (id: string) =>
  body(
    api.GET("/api/v1/projects/{project_id}/sessions", {
      params: { path: { project_id: id }, query: { limit: 100 } },
    }),
  );
export const listSessions = (status?: "waiting" | "running", limit = 20) =>
  body(api.GET("/api/v1/sessions", { params: { query: { limit, status } } }));

export const createSession = (projectId: string, options: NewSession = {}) =>
  body(
    api.POST("/api/v1/projects/{project_id}/sessions", {
      params: { path: { project_id: projectId } },
      body: options as Required<NewSession>,
    }),
  );

const ofSession = (id: string) => ({ params: { path: { session_id: id } } });

export const readSession = (id: string) => body(api.GET("/api/v1/sessions/{session_id}", ofSession(id)));
export const listChildren = (id: string) =>
  body(
    api.GET("/api/v1/sessions/{session_id}/children", {
      params: { path: { session_id: id }, query: { limit: 100 } },
    }),
  );
export const changeSession = (
  id: string,
  change: Partial<Pick<Session, "title" | "agent" | "model" | "effort" | "archived" | "labels">>,
) => body(api.PATCH("/api/v1/sessions/{session_id}", { ...ofSession(id), body: change }));
export const sendPrompt = (
  sessionId: string,
  text: string,
  attachments: readonly string[] = [],
  paths: readonly string[] = [],
) =>
  body(
    api.POST("/api/v1/sessions/{session_id}/prompts", {
      ...ofSession(sessionId),
      body: {
        text,
        ...(attachments.length > 0 ? { attachments: [...attachments] } : {}),
        ...(paths.length > 0 ? { paths: [...paths] } : {}),
      } as Required<NewPrompt>,
    }),
  );
/** Forks a session: with files of its own, those of the message (`then`) or the newest, or in the same workspace. */
export const forkSession = (sessionId: string, files: "then" | "now" | "same", messageId?: string) =>
  body(
    api.POST("/api/v1/sessions/{session_id}/fork", {
      ...ofSession(sessionId),
      body: {
        workspace: files === "same" ? "same" : "copy",
        files: files === "then" ? "then" : "now",
        title: "",
        ...(messageId ? { message_id: messageId } : {}),
      },
    }),
  );
export const abortSession = (sessionId: string) =>
  body(api.POST("/api/v1/sessions/{session_id}/abort", ofSession(sessionId)));
export const readOlder = (sessionId: string, before: string) =>
  body(
    api.GET("/api/v1/sessions/{session_id}/conversation", {
      params: { path: { session_id: sessionId }, query: { before } },
    }),
  );
export const readDiff = (sessionId: string) =>
  body(api.GET("/api/v1/sessions/{session_id}/diff", ofSession(sessionId)));
export const readFileDiff = (sessionId: string, path: string) =>
  body(
    api.GET("/api/v1/sessions/{session_id}/diff", {
      params: { path: { session_id: sessionId }, query: { path } },
    }),
  );

const open = (cursor: string | undefined) => ({ params: { query: { state: "open", cursor } } }) as const;

export const listOpenRequests = () =>
  readAllPages((cursor) => body(api.GET("/api/v1/permission-requests", open(cursor))));
export const readRequest = (id: string) =>
  body(api.GET("/api/v1/permission-requests/{request_id}", { params: { path: { request_id: id } } }));
export const replyPermission = (id: string, reply: PermissionReply) =>
  body(
    api.POST("/api/v1/permission-requests/{request_id}/reply", {
      params: { path: { request_id: id } },
      body: { message: "", ...reply },
    }),
  );
export const listOpenQuestions = () =>
  readAllPages((cursor) => body(api.GET("/api/v1/questions", open(cursor))));
export const replyQuestion = (id: string, answers: string[][]) =>
  body(
    api.POST("/api/v1/questions/{question_id}/reply", {
      params: { path: { question_id: id } },
      body: { answers },
    }),
  );
export const rejectQuestion = (id: string) =>
  body(api.POST("/api/v1/questions/{question_id}/reject", { params: { path: { question_id: id } } }));
