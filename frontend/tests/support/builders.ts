// Objects of the API with sensible values; a test sets only the values that matter to it.
import type { EventFrame } from "../../src/api/frames";
import type { ReviewComment } from "../../src/api/review";
import type {
  Message,
  Part,
  PermissionRequest,
  Question,
  Session,
  Snapshot,
  ToolCall,
  Turn,
  WorkspaceNote,
} from "../../src/api/types";

const TOKENS = { input: 0, output: 0, reasoning: 0, cache_read: 0, cache_write: 0 };
export const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString();

export const session = (over: Partial<Session> = {}): Session => ({
  id: "ses_1",
  project_id: "prj_1",
  workspace_id: "wsp_1",
  parent_id: null,
  forked_from_id: null,
  title: "A session",
  summary: "",
  agent: "build",
  model: "demo",
  effort: "",
  folder: "",
  status: "idle",
  last_seq: 0,
  cost: 0,
  unpriced_calls: 0,
  tokens: TOKENS,
  context_tokens: 0,
  context_limit: 0,
  archived: false,
  labels: [],
  revert: null,
  shared_with: "team",
  created_by: null,
  created_at: at(0),
  updated_at: at(0),
  ...over,
});

export const turn = (over: Partial<Turn> = {}): Turn => ({
  id: "trn_1",
  session_id: "ses_1",
  state: "running",
  error: null,
  waits_for: "",
  step_count: 1,
  caller_id: null,
  output: null,
  created_at: at(0),
  ended_at: null,
  ...over,
});

export const message = (over: Partial<Message> = {}): Message => ({
  id: "msg_1",
  session_id: "ses_1",
  turn_id: "trn_1",
  role: "assistant",
  author: null,
  agent: "build",
  model: "demo",
  effort: "",
  state: "complete",
  finish: "stop",
  error: null,
  tokens: TOKENS,
  cost: 0,
  unpriced_calls: 0,
  created_at: at(0),
  completed_at: null,
  reverted: false,
  ...over,
});

export const part = (over: Partial<Part> = {}): Part => ({
  id: "prt_1",
  message_id: "msg_1",
  index: 0,
  type: "text",
  text: "",
  call_id: null,
  data: {},
  ...over,
});

export const call = (over: Partial<ToolCall> = {}): ToolCall => ({
  id: "call_1",
  message_id: "msg_1",
  turn_id: "trn_1",
  part_id: "prt_1",
  outer_id: null,
  tool: "bash",
  arguments: {},
  raw_arguments: "",
  title: "",
  state: "completed",
  waits_for: "",
  output: "",
  live_output: "",
  metadata: {},
  attachments: [],
  pruned: false,
  decision: null,
  created_at: at(0),
  started_at: at(0),
  ended_at: over.state && !["completed", "error", "aborted"].includes(over.state) ? null : at(1),
  ...over,
});

export const request = (over: Partial<PermissionRequest> = {}): PermissionRequest => ({
  id: "per_1",
  session_id: "ses_1",
  turn_id: "trn_1",
  call_id: "call_1",
  tool: "bash",
  title: "Run pytest",
  needs: [
    { permission: "bash", patterns: ["pytest -q"], always: ["pytest *"], metadata: { command: "pytest -q" } },
  ],
  reasons: [
    {
      permission: "bash",
      pattern: "pytest -q",
      action: "ask",
      rule: { permission: "bash", pattern: "*", action: "ask" },
      layer: "site defaults",
    },
  ],
  scopes: ["session", "project"],
  state: "open",
  scope: "",
  message: "",
  approvers: "member",
  approvals: [],
  started_by_id: "usr_1",
  answered_by: null,
  created_at: at(0),
  expires_at: at(24 * 3600),
  settled_at: null,
  ...over,
});

export const question = (over: Partial<Question> = {}): Question => ({
  id: "que_1",
  session_id: "ses_1",
  turn_id: "trn_1",
  call_id: "call_1",
  server: null,
  questions: [
    {
      question: "Which colour?",
      header: "Colour",
      options: [
        { label: "Red", description: "" },
        { label: "Blue", description: "" },
      ],
      multiple: false,
      kind: "text",
      required: true,
      prefilled: [],
    },
  ],
  state: "open",
  answers: [],
  created_at: at(0),
  expires_at: null,
  settled_at: null,
  ...over,
});

export const note = (over: Partial<WorkspaceNote> = {}): WorkspaceNote => ({
  id: "wnt_1",
  session_id: "ses_1",
  workspace_id: "wsp_1",
  kind: "started",
  text: "The workspace started (0.3 s).",
  call_id: "",
  data: {},
  created_at: at(1),
  ...over,
});

export const snapshot = (over: Partial<Snapshot> = {}): Snapshot => ({
  seq: 10,
  session: session(),
  workspace: {
    id: "wsp_1",
    project_id: "prj_1",
    name: "main",
    state: "running",
    detail: "",
    created_at: at(0),
    runtime: "runc",
    remove_at: null,
  },
  turns: [],
  messages: [],
  parts: [],
  calls: [],
  permission_requests: [],
  questions: [],
  todos: [],
  workspace_notes: [],
  alternatives: [],
  pull_request: null,
  comparison_id: null,
  older: null,
  can_act: true,
  ...over,
});

/** An event of any type: a newer server may send types that this client does not know. */
export const event = (seq: number, type: string, data: unknown) =>
  ({ type: "event", seq, event_type: type, data, at: at(seq) }) as EventFrame;

/** A draft of user usr_1 on two lines of a.py. */
export const reviewComment = (over: Partial<ReviewComment> = {}): ReviewComment => ({
  id: "rvc_1",
  session_id: "ses_1",
  author: { id: "usr_1", email: "a@example.org", name: "A" },
  path: "a.py",
  side: "new",
  first_line: 2,
  last_line: 3,
  quote: "",
  text: "Why?",
  version: "1",
  state: "draft",
  turn_id: null,
  message_id: null,
  answer_id: null,
  settled_by: null,
  created_at: "",
  updated_at: "",
  ...over,
});
