import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ContextUse, compactSession, readContext } from "../api/context";
import { formatCount, formatNumber } from "../lib/format";
import { visibleLine } from "../lib/visible";
import { useLive } from "../store/SessionContext";
import { Chevron } from "../ui/Chevron";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { SystemPromptButton } from "./SystemPrompt";
import { type ContextGroup, groupItems } from "./shape";
import "./context.css";

/** What fills the context of the session's model, and "Compact now". Read again after each step. */
export function ContextPanel({ sessionId }: { sessionId: string }) {
  const counted = useLive((state) => state.session?.context_tokens ?? 0);
  const messages = useLive((state) => Object.keys(state.messages).length);
  const status = useLive((state) => state.session?.status);
  const found = useQuery({
    queryKey: ["context", sessionId, counted, messages, status],
    queryFn: () => readContext(sessionId),
    placeholderData: keepPreviousData,
  });
  if (found.error && !found.data) return <Problem error={found.error} onRetry={found.refetch} />;
  if (!found.data) return <Skeleton rows={6} label="Loading the context" />;
  if (found.data.items.length === 0) {
    return <p className="empty">Nothing has been sent to a model in this session yet.</p>;
  }
  return (
    <div className="context-panel stack gap-12" data-testid="context-panel">
      <Meter use={found.data} />
      <Compact sessionId={sessionId} />
      <Groups groups={groupItems(found.data.items)} total={found.data.estimated} />
      <Loaded use={found.data} />
      {found.data.message_id && <SystemPromptButton messageId={found.data.message_id} />}
    </div>
  );
}

function Meter({ use }: { use: ContextUse }) {
  const size = use.counted || use.estimated;
  const of = use.limit > 0 ? ` of ${formatNumber(use.limit)}` : "";
  return (
    <div className="stack gap-6">
      <p className="number">
        <strong className="medium">
          {use.counted ? "" : "About "}
          {formatNumber(size)}
          {of} tokens
        </strong>
      </p>
      {use.limit > 0 && (
        <progress
          className="context-meter full-width"
          aria-label="Share of the context that is full"
          max={use.limit}
          value={Math.min(size, use.limit)}
        />
      )}
      <p className="small muted">
        {use.counted
          ? "Counted by the provider with the last answer."
          : "Estimated: the provider has not counted this conversation yet."}{" "}
        {use.limit > 0
          ? `At ${formatNumber(use.limit)} tokens the older part is replaced by a summary.`
          : "The size of this model's context is unknown."}
      </p>
    </div>
  );
}

function Compact({ sessionId }: { sessionId: string }) {
  const canAct = useLive((state) => state.canAct);
  const isRunning = useLive((state) => state.session?.status !== "idle");
  const { run, busy, error } = useAction();
  if (!canAct) return null;
  return (
    <div className="stack gap-8 items-start">
      <button
        type="button"
        className="button"
        disabled={busy}
        onClick={() => void run(async () => void (await compactSession(sessionId)))}
      >
        {isRunning ? "Compact after this step" : "Compact now"}
      </button>
      <p className="small muted">
        Models then read a summary in place of the older messages. People still see all of them.
      </p>
      {error !== null && <Problem error={error} />}
    </div>
  );
}

function Groups({ groups, total }: { groups: readonly ContextGroup[]; total: number }) {
  return (
    <section aria-label="What fills the context">
      <p className="small muted">About {formatNumber(total)} tokens, estimated at four characters each:</p>
      {groups.map((group) => (
        <details key={group.label} className="context-group ruled-top" data-testid="context-group">
          <summary className="line">
            <Chevron />
            <span className="medium grow">{group.label}</span>
            <span className="number">{formatCount(group.tokens)}</span>
            <progress className="context-share" aria-hidden="true" max={total || 1} value={group.tokens} />
          </summary>
          <ul>
            {group.items.map((item) => (
              <li key={item.label} className="line between small">
                <span className="break-anywhere">{visibleLine(item.label)}</span>
                <span className="number muted no-shrink">{formatCount(item.tokens)}</span>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </section>
  );
}

/** Instructions of folders and skills that are part of tool results. */
function Loaded({ use }: { use: ContextUse }) {
  if (use.folders.length === 0 && use.skills.length === 0) return null;
  return (
    <section className="small muted" aria-label="In the tool results">
      {use.skills.length > 0 && (
        <p>The tool results contain the skills {use.skills.map(visibleLine).join(", ")}.</p>
      )}
      {use.folders.length > 0 && (
        <p>The tool results contain the instructions of {use.folders.map(visibleLine).join(", ")}.</p>
      )}
    </section>
  );
}
