// The state of one session: objects by id, and lists of ids in display order.
import type { Watcher } from "../api/frames";
import type {
  Alternatives,
  Message,
  Part,
  PermissionRequest,
  PullRequestSummary,
  Question,
  Session,
  Snapshot,
  Todo,
  ToolCall,
  Turn,
  Workspace,
  WorkspaceNote,
} from "../api/types";

export type ById<Item> = Readonly<Record<string, Item>>;

export interface WaitingDelta {
  offset: number;
  text: string;
}

export interface SessionState {
  seq: number | null;
  session: Session | null;
  workspace: Workspace | null;
  turns: ById<Turn>;
  turnIds: readonly string[];
  /** Of the turns that have alternatives or are hidden, by the turn's id. */
  alternatives: ById<Alternatives>;
  messages: ById<Message>;
  messageIdsByTurn: Readonly<Record<string, readonly string[]>>;
  parts: ById<Part>;
  partIdsByMessage: Readonly<Record<string, readonly string[]>>;
  calls: ById<ToolCall>;
  requests: ById<PermissionRequest>;
  questions: ById<Question>;
  todos: readonly Todo[];
  notes: ById<WorkspaceNote>;
  pullRequest: PullRequestSummary | null;
  /** The comparison of which the session is one of several attempts. */
  comparisonId: string | null;
  canAct: boolean;
  /** People who have the session open, including this person. */
  watchers: readonly Watcher[];
  /** Deltas that do not fit yet, by "part:<id>" or "call:<id>". Their full text has been requested. */
  waitingDeltas: Readonly<Record<string, readonly WaitingDelta[]>>;
  /** The message before which there are older ones to load; null if all are here. */
  older: string | null;
  /** Calls of messages that have not been loaded and whose output is no longer sent to models. */
  prunedIds: ReadonlySet<string>;
}

export const emptyState: SessionState = {
  seq: null,
  session: null,
  workspace: null,
  turns: {},
  turnIds: [],
  alternatives: {},
  messages: {},
  messageIdsByTurn: {},
  parts: {},
  partIdsByMessage: {},
  calls: {},
  requests: {},
  questions: {},
  todos: [],
  notes: {},
  pullRequest: null,
  comparisonId: null,
  canAct: false,
  watchers: [],
  waitingDeltas: {},
  older: null,
  prunedIds: new Set(),
};

export const byId = <Item extends { id: string }>(items: readonly Item[]): Record<string, Item> =>
  Object.fromEntries(items.map((item) => [item.id, item]));

interface Dated {
  id: string;
  created_at: string;
}

export const byTime = (a: Dated, b: Dated): number =>
  a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : a.id < b.id ? -1 : a.id > b.id ? 1 : 0;

export const byIndex = (a: Part, b: Part): number => a.index - b.index || (a.id < b.id ? -1 : 1);

export function groupIds<Item extends { id: string }>(items: readonly Item[], key: (item: Item) => string) {
  const groups: Record<string, string[]> = {};
  for (const item of items) {
    const group = groups[key(item)];
    if (group) group.push(item.id);
    else groups[key(item)] = [item.id];
  }
  return groups;
}

export function stateFromSnapshot(snapshot: Snapshot): SessionState {
  return {
    ...emptyState,
    seq: snapshot.seq,
    session: snapshot.session,
    workspace: snapshot.workspace,
    turns: byId(snapshot.turns),
    turnIds: [...snapshot.turns].sort(byTime).map((turn) => turn.id),
    alternatives: byId(snapshot.alternatives),
    messages: byId(snapshot.messages),
    messageIdsByTurn: groupIds([...snapshot.messages].sort(byTime), (message) => message.turn_id),
    parts: byId(snapshot.parts),
    partIdsByMessage: groupIds([...snapshot.parts].sort(byIndex), (part) => part.message_id),
    calls: byId(snapshot.calls),
    requests: byId(snapshot.permission_requests),
    questions: byId(snapshot.questions),
    todos: snapshot.todos,
    notes: byId(snapshot.workspace_notes),
    pullRequest: snapshot.pull_request,
    comparisonId: snapshot.comparison_id,
    canAct: snapshot.can_act,
    older: snapshot.older,
  };
}
