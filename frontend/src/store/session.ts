// Connects a session's WebSocket with the reducer and provides a store for components.
import { createStore, type StoreApi } from "zustand/vanilla";
import { readOlder } from "../api/endpoints";
import type { ClientFrame, DeltaTarget, ServerFrame } from "../api/frames";
import type { Part, PermissionRequest, Question, Session, ToolCall } from "../api/types";
import { socketAddress } from "../lib/prefix";
import { addOlder } from "./older";
import {
  dropWaiting,
  type Effect,
  reduceFetched,
  reduceFrame,
  upsertQuestion,
  upsertRequest,
} from "./reducer";
import { type EndReason, type Link, Socket } from "./socket";
import { emptyState, type SessionState } from "./state";

export interface LiveSession extends SessionState {
  link: Link;
  ended: EndReason | null;
  /**
   * 0 until the first snapshot. Increased by each event that may have changed files; what shows files reads them
   * again on it, and for the first time after the snapshot, so that nothing is missed or read twice.
   */
  filesVersion: number;
  /** The same for comments and approvals of the review. */
  reviewVersion: number;
  /** Whether older messages are being loaded. */
  isLoadingOlder: boolean;
  /** Why they could not be loaded; null otherwise. */
  olderError: unknown;
}

export interface SessionConnection {
  store: StoreApi<LiveSession>;
  /** Shows the result of a REST call before its event arrives. */
  showRequest: (request: PermissionRequest) => void;
  showQuestion: (question: Question) => void;
  showSession: (session: Session) => void;
  /** Loads the next page of older messages, unless one is being loaded or all are here. */
  loadOlder: () => Promise<void>;
  retryNow: () => void;
  close: () => void;
}

export interface ConnectionOptions {
  onSignedOut: () => void;
  onRefused: () => void;
}

const REPLAY_TIMEOUT_MS = 2_000;
/** How many messages are loaded at first; public/early.js has the same number. */
export const FIRST_MESSAGES = 50;
/** The server saves streamed text twice a second, so it is asked again at that interval. */
const REFETCH_DELAY_MS = 500;
const MAX_REFETCHES = 8;
/** Tools that never change files. All others may, those of MCP servers included. */
const READING_TOOLS = new Set([
  "read",
  "list",
  "glob",
  "grep",
  "lsp",
  "skill",
  "todoread",
  "todowrite",
  "question",
  "webfetch",
  "websearch",
  "codesearch",
]);

function changesFiles(frame: ServerFrame, before: SessionState, after: SessionState): boolean {
  if (frame.type === "snapshot") return true;
  if (frame.type !== "event") return false;
  if (frame.event_type === "session.updated") return revertOf(before) !== revertOf(after);
  if (frame.event_type !== "call.updated") return false;
  const call = frame.data;
  return !!call?.ended_at && !READING_TOOLS.has(call.tool);
}

/** Changes whenever files were taken back or brought back. */
function revertOf({ session }: SessionState): string {
  return session?.revert ? `${session.revert.id} ${session.revert.state}` : "";
}

const REVIEW_EVENTS = new Set(["review_comment.updated", "file_approval.updated"]);

/** Whether comments or approvals changed, or a turn ended that may have got comments. */
function changesReview(frame: ServerFrame): boolean {
  if (frame.type === "snapshot") return true;
  if (frame.type !== "event") return false;
  if (frame.event_type === "turn.updated") return !!frame.data?.ended_at;
  return REVIEW_EVENTS.has(frame.event_type);
}

/** Whether the REST answer is newer than what is shown: an event may have arrived first. */
function isNewer(shown: { settled_at: string | null } | undefined, answer: { settled_at: string | null }) {
  return !shown?.settled_at || !!answer.settled_at;
}

interface Fetch {
  target: DeltaTarget;
  id: string;
  tries: number;
}

class Connection implements SessionConnection {
  readonly store = createStore<LiveSession>(() => ({
    ...emptyState,
    link: "connecting" as Link,
    ended: null,
    filesVersion: 0,
    reviewVersion: 0,
    isLoadingOlder: false,
    olderError: null,
  }));
  private readonly socket: Socket;
  private readonly fetches = new Map<string, Fetch>();
  private counter = 0;
  private helloAt: number | null = null;
  private askAgain: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly sessionId: string,
    options: ConnectionOptions,
  ) {
    this.socket = new Socket({
      address: () => socketAddress(`/ws/sessions/${sessionId}`),
      onOpen: (greeted) => {
        if (greeted) this.helloAt = Date.now();
        else this.hello();
      },
      onFrame: (frame) => this.receive(frame as unknown as ServerFrame),
      onLink: (link) => this.store.setState({ link }),
      onEnd: (ended) => {
        this.store.setState({ ended, link: "offline" });
        if (ended === "signed-out") options.onSignedOut();
      },
      onRefused: options.onRefused,
    });
    this.socket.open();
  }

  retryNow = () => this.socket.retryNow();
  close = () => {
    clearTimeout(this.askAgain);
    this.socket.close();
  };
  showRequest = (request: PermissionRequest) =>
    this.store.setState((state) =>
      isNewer(state.requests[request.id], request) ? upsertRequest(state, request) : state,
    );
  showQuestion = (question: Question) =>
    this.store.setState((state) =>
      isNewer(state.questions[question.id], question) ? upsertQuestion(state, question) : state,
    );
  showSession = (session: Session) =>
    this.store.setState((state) =>
      (state.session?.last_seq ?? 0) <= session.last_seq ? { ...state, session } : state,
    );

  loadOlder = async (): Promise<void> => {
    const { older, isLoadingOlder } = this.store.getState();
    if (older === null || isLoadingOlder) return;
    this.store.setState({ isLoadingOlder: true, olderError: null });
    try {
      const page = await readOlder(this.sessionId, older);
      // A new snapshot may have come meanwhile, which the page does not follow.
      this.store.setState((state) => ({
        ...(state.older === older ? addOlder(state, page) : {}),
        isLoadingOlder: false,
      }));
    } catch (olderError) {
      this.store.setState({ isLoadingOlder: false, olderError });
    }
  };

  private nextId(): string {
    this.counter += 1;
    return `c${this.counter}`;
  }

  private send(frame: ClientFrame): void {
    this.socket.send(frame);
  }

  /** Sends the last known sequence number. The first load and every reconnect work the same way. */
  private hello(): void {
    this.fetches.clear();
    this.helloAt = Date.now();
    this.send({ id: this.nextId(), type: "hello", after: this.store.getState().seq, limit: FIRST_MESSAGES });
    for (const key of Object.keys(this.store.getState().waitingDeltas)) {
      const [target, id] = key.split(":") as [DeltaTarget, string];
      this.fetchText(target, id);
    }
  }

  private receive(frame: ServerFrame): void {
    if (frame.type === "ack" || frame.type === "error") {
      this.settleFetch(frame);
      return;
    }
    const before = this.store.getState();
    const { state, effects } = reduceFrame(before, frame);
    if (state === before && effects.length === 0) return;
    if (state.seq !== before.seq) this.helloAt = null;
    const filesVersion = before.filesVersion + (changesFiles(frame, before, state) ? 1 : 0);
    const reviewVersion = before.reviewVersion + (changesReview(frame) ? 1 : 0);
    this.store.setState({ ...state, filesVersion, reviewVersion });
    for (const effect of effects) this.perform(effect);
  }

  private perform(effect: Effect): void {
    if (effect.type === "fetch") this.fetchText(effect.target, effect.id);
    else if (!this.isReplayExpected()) this.hello();
  }

  /**
   * Asks for a replay once, as one gap makes every later event look like a gap. Repeats only without an
   * answer.
   */
  private isReplayExpected(): boolean {
    return this.helloAt !== null && Date.now() - this.helloAt < REPLAY_TIMEOUT_MS;
  }

  private fetchText(target: DeltaTarget, id: string, tries = 1): void {
    const frameId = this.nextId();
    this.fetches.set(frameId, { target, id, tries });
    if (target === "part") this.send({ id: frameId, type: "part.get", part_id: id });
    else this.send({ id: frameId, type: "call.get", call_id: id });
  }

  private settleFetch(frame: Extract<ServerFrame, { type: "ack" | "error" }>): void {
    const asked = typeof frame.id === "string" ? this.fetches.get(frame.id) : undefined;
    if (!asked || typeof frame.id !== "string") return;
    this.fetches.delete(frame.id);
    const { target, id, tries } = asked;
    const data = frame.type === "ack" ? ((frame.data ?? null) as Part | ToolCall | null) : null;
    const { state, behind } = reduceFetched(this.store.getState(), target, id, data);
    if (!behind) this.store.setState(state);
    else if (tries >= MAX_REFETCHES) this.store.setState(dropWaiting(state, target, id));
    else {
      this.store.setState(state);
      this.askAgain = setTimeout(() => this.fetchText(target, id, tries + 1), REFETCH_DELAY_MS);
    }
  }
}

export const connectSession = (sessionId: string, options: ConnectionOptions): SessionConnection =>
  new Connection(sessionId, options);
