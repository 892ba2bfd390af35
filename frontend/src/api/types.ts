// The words of the API, as the server documents them. Ids carry their kind as a prefix (ses_, trn_, msg_ ...).

export type Role = "owner" | "admin" | "member" | "viewer";
export type WorkspaceState = "new" | "starting" | "running" | "stopped" | "failed";
export type SessionStatus = "idle" | "running" | "waiting";
export type TurnState = "queued" | "running" | "waiting" | "completed" | "aborted" | "failed";
export type CallState = "pending" | "running" | "waiting" | "completed" | "error" | "aborted";
export type Action = "allow" | "ask" | "deny";
export type Scope = "session" | "project";

export interface User {
  id: string;
  email: string;
  name: string;
}
export interface Team {
  id: string;
  slug: string;
  name: string;
  role: Role;
}
export interface Me {
  user: User;
  teams: Team[];
  site: { demo_model: boolean; model: string };
}
export interface Site {
  demo_login: { email: string; password: string } | null;
  demo_model: boolean;
}
export interface Project {
  id: string;
  team_id: string;
  name: string;
  slug: string;
  description: string;
  suggested_prompt: string;
  default_agent: string;
  created_at: string;
}
export interface Workspace {
  id: string;
  project_id: string;
  name: string;
  state: WorkspaceState;
  detail: string;
  created_at: string;
}
export interface Tokens {
  input: number;
  output: number;
  reasoning: number;
  cache_read: number;
  cache_write: number;
}
export interface Session {
  id: string;
  project_id: string;
  workspace_id: string;
  title: string;
  agent: string;
  model: string;
  status: SessionStatus;
  last_seq: number;
  cost: number;
  tokens: Tokens;
  archived: boolean;
  created_by: User | null;
  created_at: string;
  updated_at: string;
}
export interface Failure {
  code: string;
  message: string;
  hint: string;
}
export interface Turn {
  id: string;
  session_id: string;
  state: TurnState;
  error: Failure | null;
  step_count: number;
  created_at: string;
  ended_at: string | null;
}
export interface Message {
  id: string;
  session_id: string;
  turn_id: string;
  role: "user" | "assistant";
  agent: string;
  model: string;
  state: "streaming" | "complete" | "interrupted";
  finish: string;
  error: Failure | null;
  tokens: Tokens | null;
  cost: number;
  created_at: string;
  completed_at: string | null;
}
export interface Part {
  id: string;
  message_id: string;
  index: number;
  type: "text" | "reasoning" | "tool" | "retry";
  text: string;
  call_id: string | null;
  data: Record<string, unknown>;
}
export interface Rule {
  permission: string;
  pattern: string;
  action: Action;
}
export interface Reason {
  permission: string;
  pattern: string;
  action: Action;
  rule: Rule | null;
  layer: string;
}
export interface ToolCall {
  id: string;
  message_id: string;
  turn_id: string;
  part_id: string;
  tool: string;
  arguments: Record<string, unknown>;
  raw_arguments: string;
  title: string;
  state: CallState;
  waits_for: "" | "permission" | "question";
  output: string;
  live_output: string;
  metadata: Record<string, unknown>;
  decision: Reason | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
}
export interface PermissionNeed {
  permission: string;
  patterns: string[];
  always: string[];
  metadata: { diff?: string; command?: string; path?: string; description?: string };
}
export interface PermissionRequest {
  id: string;
  session_id: string;
  turn_id: string;
  call_id: string;
  tool: string;
  title: string;
  needs: PermissionNeed[];
  reasons: Reason[];
  scopes: Scope[];
  state: "open" | "once" | "always" | "rejected" | "cancelled";
  scope: string;
  message: string;
  answered_by: User | null;
  created_at: string;
  settled_at: string | null;
}
export interface QuestionItem {
  question: string;
  header: string;
  options: { label: string; description: string }[];
  multiple: boolean;
}
export interface Question {
  id: string;
  session_id: string;
  turn_id: string;
  call_id: string;
  questions: QuestionItem[];
  state: "open" | "answered" | "dismissed" | "cancelled";
  answers: string[][];
  created_at: string;
  settled_at: string | null;
}
/** An open request or question as the cross-session lists give it. */
export type Elsewhere<Item> = Item & { session_title: string; project_id: string };

export interface Todo {
  content: string;
  status: "pending" | "in_progress" | "completed" | "cancelled";
  priority: string;
}
export interface FileDiff {
  path: string;
  status: "added" | "modified" | "deleted";
  additions: number;
  deletions: number;
  patch: string;
  binary: boolean;
}
export interface Agent {
  name: string;
  description: string;
  mode: string;
}
export interface Snapshot {
  seq: number;
  session: Session;
  workspace: Workspace;
  turns: Turn[];
  messages: Message[];
  parts: Part[];
  calls: ToolCall[];
  permission_requests: PermissionRequest[];
  questions: Question[];
  todos: Todo[];
  can_act: boolean;
}
export interface Page<Item> {
  items: Item[];
  next_cursor?: string | null;
}
export interface PermissionReply {
  reply: "once" | "always" | "reject";
  scope?: Scope;
  message?: string;
}
