import { Fragment, memo, type ReactNode, useState } from "react";
import { useShallow } from "zustand/react/shallow";
import type { Attachment } from "../api/attachments";
import { useMe } from "../app/queries";
import { StoppedTurn } from "../budgets/StoppedTurn";
import { plural } from "../lib/format";
import { shownName } from "../permissions/approvers";
import { useLive } from "../store/SessionContext";
import { Attachments } from "../tools/Attachments";
import { fileOfPart, textIn } from "../tools/facts";
import { ToolDetail } from "../tools/ToolDetail";
import { Chevron } from "../ui/Chevron";
import { Icon, type IconName } from "../ui/Icon";
import { useNow } from "../ui/useNow";
import { Alternatives } from "./Alternatives";
import { EditPrompt } from "./EditPrompt";
import { foldable, layoutTurn, messageText, outlineOf, parseItem, showsProgress } from "./layout";
import { Markdown } from "./Markdown";
import { splitMentions } from "./mentions";
import { QueuedPrompt } from "./QueuedPrompt";
import { Retry, SlowModel } from "./Retry";
import { ExploreRow, ToolRow } from "./ToolRow";
import { TurnEnd } from "./TurnEnd";
import { WorkspaceNoteLine } from "./WorkspaceNotes";
import "./Conversation.css";
import "./ToolRow.css";
import "./WorkspaceNotes.css";

export const TurnView = memo(function TurnView({ turnId, latest }: { turnId: string; latest: boolean }) {
  const items = useLive(useShallow((state) => layoutTurn(state, turnId)));
  const isHidden = useLive((state) => !!state.alternatives[turnId]?.hidden_with_id);
  return (
    <article className="turn" data-testid="turn" data-turn={turnId} aria-label="Turn">
      <FoldedRows turnId={turnId} items={items} latest={latest} />
      <Progress turnId={turnId} lastKey={items.findLast((key) => !key.startsWith("note:"))} />
      <StoppedTurn turnId={turnId} />
      <TurnEnd turnId={turnId} latest={latest} />
      {!isHidden && <Alternatives turnId={turnId} render={renderHidden} />}
    </article>
  );
});

const FOLD_FROM = 12; // rows

/**
 * The rows of a turn. The work of a long turn that has ended is one line, which opens it; a turn that ends in front of the
 * person, or of which only the end is loaded, stays as it is. A link to something in the conversation opens all.
 */
function FoldedRows({
  turnId,
  items,
  latest,
}: {
  turnId: string;
  items: readonly string[];
  latest: boolean;
}) {
  const isDone = useLive((state) => isOver(state.turns[turnId]?.state));
  const isPartial = useLive((state) => state.older !== null && state.turnIds[0] === turnId);
  const [isOpen, setOpen] = useState(() => !isDone || isPartial || window.location.hash !== "");
  const hidden = useLive(useShallow((state) => [...foldable(state, isDone ? items : [])]));
  const isFolded = isDone && hidden.length >= FOLD_FROM;
  const first = isFolded ? hidden[0] : undefined;
  const gone = isFolded && !isOpen ? new Set(hidden) : new Set();
  return items.map((key) => (
    <Fragment key={key.startsWith("explore:") ? key.split(",")[0] : key}>
      {key === first && (
        <Fold turnId={turnId} rows={hidden} isOpen={isOpen} onToggle={() => setOpen(!isOpen)} />
      )}
      {!gone.has(key) && <ItemView itemKey={key} latest={latest} />}
    </Fragment>
  ));
}

const isOver = (state: string | undefined) =>
  state === "completed" || state === "failed" || state === "aborted";

interface FoldProps {
  turnId: string;
  rows: readonly string[];
  isOpen: boolean;
  onToggle: () => void;
}

/** "81 steps, 320 calls, 40 files changed": one line in place of the rows. */
function Fold({ turnId, rows, isOpen, onToggle }: FoldProps) {
  const steps = useLive((state) => state.turns[turnId]?.step_count ?? 0);
  const outline = useLive((state) => outlineOf(state, rows));
  return (
    <button
      type="button"
      className="tool-row turn-fold line muted"
      aria-expanded={isOpen}
      data-testid="turn-fold"
      onClick={onToggle}
    >
      <span className="tool-icon text-faint">
        <Icon name="list" />
      </span>
      <span className="tool-words">
        <span className="tool-verb medium">{isOpen ? "Fold" : "Show"} the work</span>{" "}
        {[plural(steps, "step"), outline].filter(Boolean).join(", ")}
      </span>
      <Chevron open={isOpen} />
    </button>
  );
}

const renderHidden = (turnId: string) => <TurnView turnId={turnId} latest={false} />;

function ItemView({ itemKey, latest }: { itemKey: string; latest: boolean }) {
  const item = parseItem(itemKey);
  switch (item.kind) {
    case "user":
      return <UserMessage messageId={item.id} />;
    case "text":
      return <TextPart partId={item.id} />;
    case "reasoning":
      return (
        <CollapsedText partId={item.id} icon="thought" verbs={["Thinking", "Thought"]} testId="reasoning" />
      );
    case "compaction":
      return <CollapsedText partId={item.id} icon="list" verbs={SUMMARY_VERBS} testId="compaction" />;
    case "tool":
      return <ToolRow callId={item.id} latest={latest} />;
    case "explore":
      return <ExploreRow callIds={item.ids} />;
    case "note":
      return <WorkspaceNoteLine noteId={item.id} />;
    case "retry":
      return <Retry partId={item.id} />;
    case "interrupted":
      return (
        <p className="turn-note line muted">
          This answer was interrupted. The agent continued in the next step.
        </p>
      );
    case "message-error":
      return <MessageError messageId={item.id} />;
  }
}

function UserMessage({ messageId }: { messageId: string }) {
  const text = useLive((state) => messageText(state, messageId));
  const parts = useLive(
    useShallow((state) => (state.partIdsByMessage[messageId] ?? []).map((id) => state.parts[id])),
  );
  const files = parts.flatMap((part) => (part && fileOfPart(part)) ?? []);
  const agents = parts.flatMap((part) => (part?.type === "agent" ? textIn(part.data, "agent") : []));
  const author = useAuthor(messageId);
  const edit = <EditPrompt messageId={messageId} text={text} />;
  const queued = <QueuedPrompt messageId={messageId} text={text} />;
  return <UserBubble text={text} files={files} agents={agents} author={author} edit={edit} queued={queued} />;
}

/** Returns the name of the prompt's author; empty for the signed-in person. */
function useAuthor(messageId: string): string {
  const author = useLive((state) => state.messages[messageId]?.author);
  const me = useMe().data?.user.id;
  return author && me && author.id !== me ? shownName(author) : "";
}

interface UserBubbleProps {
  text: string;
  files?: readonly Attachment[];
  /** Agents that the text mentions. */
  agents?: readonly string[];
  /** Empty for the signed-in person's own prompts. */
  author?: string;
  /** The button that edits the prompt. */
  edit?: ReactNode;
  pending?: boolean;
  /** What is said and can be done while the prompt waits for the agent. */
  queued?: ReactNode;
}

const NO_AGENTS: readonly string[] = [];

export function UserBubble({
  text,
  files = [],
  agents = NO_AGENTS,
  author = "",
  edit = null,
  pending = false,
  queued = null,
}: UserBubbleProps) {
  return (
    <div className="user-message" data-testid="user-message" data-pending={pending} tabIndex={-1}>
      {author ? (
        <p className="message-author small muted">{author}</p>
      ) : (
        <span className="sr-only">You wrote:</span>
      )}
      {text && (
        <p>
          {splitMentions(text, agents).map((piece, index) =>
            index % 2 === 1 ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: a sent text never changes
              <span key={index} className="called">
                {piece}
              </span>
            ) : (
              piece
            ),
          )}
        </p>
      )}
      {files.length > 0 && <Attachments files={files} highest={160} />}
      {edit}
      {pending && <span className="muted">Sending…</span>}
      {queued}
    </div>
  );
}

function TextPart({ partId }: { partId: string }) {
  const text = useLive((state) => state.parts[partId]?.text ?? "");
  const messageId = useLive((state) => state.parts[partId]?.message_id);
  const streaming = useIsStreaming(partId);
  return (
    <div
      className="assistant-text"
      data-testid="assistant-text"
      data-message={messageId}
      data-streaming={streaming}
    >
      <Markdown text={text} streaming={streaming} />
    </div>
  );
}

const useIsStreaming = (partId: string): boolean =>
  useLive((state) => {
    const part = state.parts[partId];
    if (!part || state.messages[part.message_id]?.state !== "streaming") return false;
    const ids = state.partIdsByMessage[part.message_id];
    return ids?.[ids.length - 1] === partId;
  });

const SUMMARY_VERBS = ["Summarizing the conversation so far", "Summarized the conversation so far"] as const;

/** Returns the first line without heading marks. */
const firstLine = (text: string) =>
  text
    .trim()
    .split("\n")[0]
    ?.replace(/^#+\s+/, "");

interface CollapsedTextProps {
  partId: string;
  icon: IconName;
  verbs: readonly [while_streaming: string, then: string];
  testId: string;
}

/** A collapsed text, shown as one line that opens on click. */
function CollapsedText({ partId, icon, verbs, testId }: CollapsedTextProps) {
  const text = useLive((state) => state.parts[partId]?.text ?? "");
  const streaming = useIsStreaming(partId);
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="tool" data-testid={testId}>
      <button
        type="button"
        className="tool-row line muted"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <span className="tool-icon text-faint">
          <Icon name={icon} />
        </span>
        <span className="tool-words">
          <span className="tool-verb medium">{streaming ? verbs[0] : verbs[1]}</span>{" "}
          <em>{firstLine(text)}</em>
        </span>
        <Chevron open={isOpen} />
      </button>
      {isOpen && (
        <ToolDetail className="reasoning-text">
          <Markdown text={text} streaming={streaming} />
        </ToolDetail>
      )}
    </div>
  );
}

function MessageError({ messageId }: { messageId: string }) {
  const error = useLive((state) => state.messages[messageId]?.error);
  if (!error) return null;
  return (
    <p className="turn-note line muted">
      <Icon name="warning" /> {error.message} {error.hint}
    </p>
  );
}

/** "Thinking · 4 s", shown if nothing else indicates that the turn is running. */
function Progress({ turnId, lastKey }: { turnId: string; lastKey: string | undefined }) {
  const turn = useLive((state) => state.turns[turnId]);
  const shown = useLive((state) => showsProgress(state, turnId, lastKey));
  const active = turn?.state === "running" || turn?.state === "queued";
  const [since] = useState(() => Date.now());
  const now = useNow(active && !shown);
  if (!turn || !active || shown) return null;
  const seconds = Math.floor((now - since) / 1000);
  return (
    <>
      <p className="progress line muted" data-testid="turn-progress">
        <span className="pulse" aria-hidden="true" />
        {turn.state === "queued" ? "Waiting for a worker" : "Thinking"}
        {seconds >= 2 && <span className="number muted"> {seconds} s</span>}
      </p>
      {turn.state === "running" && <SlowModel turnId={turnId} seconds={seconds} />}
    </>
  );
}
