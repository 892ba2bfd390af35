// Types of the API, from the committed OpenAPI document. Ids have a prefix that names their kind (ses_, trn_,
// msg_ ...).
import type { components } from "./schema";

type Schemas = components["schemas"];

export type User = Schemas["UserView"];
export type Me = Schemas["MeView"];
export type Site = Schemas["SiteView"];
export type Project = Schemas["ProjectView"];
export type Workspace = Schemas["WorkspaceView"];
export type WorkspaceState = Workspace["state"];
export type Session = Schemas["SessionView"];
export type SessionStatus = Session["status"];
export type NewSession = Partial<Schemas["NewSession"]>;
export type NewPrompt = Schemas["NewPrompt"];
export type Tokens = Schemas["TokensView"];
export type Turn = Schemas["TurnView"];
export type Alternatives = Schemas["AlternativesView"];
export type Message = Schemas["MessageView"];
export type Part = Schemas["PartView"];
export type ToolCall = Schemas["ToolCallView"];
export type CallState = ToolCall["state"];
export type Reason = Schemas["DecisionView"];
export type PermissionNeed = Schemas["NeedView"];
export type PermissionRequest = Schemas["PermissionRequestView"];
export type Scope = PermissionRequest["scopes"][number];
export type Question = Schemas["QuestionView"];
export type QuestionItem = Schemas["AskedQuestionView"];
export type PullRequestSummary = Schemas["PullRequestSummaryView"];
export type Todo = Schemas["TodoView"];
export type WorkspaceNote = Schemas["WorkspaceNoteView"];
export type FileDiff = Schemas["FileDiffView"];
export type SessionDiff = Schemas["SessionDiff"];
export type Snapshot = Schemas["SnapshotView"];
export type ConversationPage = Schemas["ConversationView"];

/** Open requests and questions, as listed across sessions. */
export type WaitingRequest = Schemas["WaitingRequest"];
export type WaitingQuestion = Schemas["WaitingQuestion"];

export interface PermissionReply {
  reply: "once" | "always" | "reject";
  scope?: Scope;
  message?: string;
}
