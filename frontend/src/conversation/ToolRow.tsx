import { memo, useId, useState } from "react";
import { Link } from "wouter";
import { useShallow } from "zustand/react/shallow";
import type { ToolCall } from "../api/types";
import { usePerson } from "../app/person";
import { countChanges } from "../lib/diff";
import { formatDuration } from "../lib/format";
import { mayAnswer, waitingLabel } from "../permissions/approvers";
import { useLive } from "../store/SessionContext";
import type { SessionState } from "../store/state";
import { StateLabel } from "../tools/CallLines";
import { diagnosticsLine } from "../tools/Diagnostics";
import { describeCall, describeExploring } from "../tools/describe";
import { diagnosticsOf, patchFilesOf, shownState, signInOf, waitsForPerson } from "../tools/facts";
import { SubAgentRequests } from "../tools/SubAgent";
import { childSessionOf, LiveBody, opensAutomatically } from "../tools/views";
import { Chevron } from "../ui/Chevron";
import { Icon } from "../ui/Icon";
import { useNow } from "../ui/useNow";
import { Counts } from "../workbench/Changes";
import { CallDetail } from "./CallDetail";
import { CallRequests } from "./CallRequests";
import "./ToolRow.css";

/**
 * A tool call as one line that opens to its details. Requests and questions that it waits for are shown
 * below.
 */
export const ToolRow = memo(function ToolRow({ callId, latest }: { callId: string; latest: boolean }) {
  const call = useLive((state) => state.calls[callId]);
  const isRejected = useLive((state) => wasRejected(state, callId));
  const [chosen, setChosen] = useState<boolean | null>(null);
  const [isNew] = useState(latest);
  const detailId = useId();
  if (!call) return null;
  const hasStarted = !waitsForPerson(call) && call.state !== "pending";
  const isOpen = chosen ?? (isNew && hasStarted && opensAutomatically(call));
  const childId = childSessionOf(call);
  const signInAt = signInOf(call);
  return (
    <div
      className="tool"
      data-testid="tool-row"
      data-tool={call.tool}
      data-call={callId}
      data-state={isRejected ? "rejected" : shownState(call)}
      data-failed={hasFailed(call) && !isRejected}
    >
      <div className="call-line line gap-4">
        <button
          type="button"
          className="tool-row line muted"
          aria-expanded={isOpen}
          aria-controls={detailId}
          onClick={() => setChosen(!isOpen)}
        >
          <RowText call={call} isRejected={isRejected} />
          <Chevron open={isOpen} />
        </button>
        {childId && (
          <Link
            href={`/sessions/${childId}`}
            className="call-link no-shrink small medium"
            data-testid="child-link"
          >
            Open<span className="sr-only"> the session of this sub-agent</span>
          </Link>
        )}
        {signInAt && (
          <Link href={`/mcp-servers/${signInAt}`} className="call-link no-shrink small medium">
            Sign in<span className="sr-only"> at the MCP server of this call</span>
          </Link>
        )}
      </div>
      <div id={detailId} hidden={!isOpen}>
        {isOpen && <CallDetail call={call} renderRow={renderRow} />}
      </div>
      {!isOpen && <LiveBody call={call} renderRow={renderRow} />}
      <CallRequests callId={callId} waits={call.state === "waiting"} />
      {childId && !call.ended_at && <SubAgentRequests call={call} />}
    </div>
  );
});

/** Whether the call ended with an error, or its command with another exit code than 0. */
const hasFailed = (call: ToolCall): boolean =>
  shownState(call) === "error" ||
  (typeof call.metadata.exit_code === "number" && call.metadata.exit_code !== 0);

const renderRow = (callId: string) => <ToolRow key={callId} callId={callId} latest={false} />;

/** Whether a person rejected the call, so that it neither ran nor failed. */
const wasRejected = ({ calls, requests }: SessionState, callId: string): boolean =>
  calls[callId]?.state === "error" &&
  Object.values(requests).some((request) => request.call_id === callId && request.state === "rejected");

function RowText({ call, isRejected }: { call: ToolCall; isRejected: boolean }) {
  const { icon, verb, object, codeLike, fact } = describeCall(call);
  const changes = changesOf(call);
  const errorCount = diagnosticsLine(diagnosticsOf(call).filter((item) => item.severity === "error"));
  return (
    <>
      <span className="tool-icon text-faint">
        <Icon name={icon} />
      </span>
      <span className="tool-words">
        <span className="tool-verb medium">{verb}</span>{" "}
        {object && <span className={codeLike ? "mono small" : undefined}>{object}</span>}
      </span>
      {changes && <Counts {...changes} />}
      {fact && <span className="tool-fact no-shrink small number">{fact}</span>}
      {errorCount && <span className="no-shrink small medium text-failed number">{errorCount}</span>}
      {isRejected ? (
        <span className="no-shrink small medium text-faint">rejected</span>
      ) : (
        <CallState call={call} />
      )}
      <Elapsed call={call} />
    </>
  );
}

function CallState({ call }: { call: ToolCall }) {
  const state = shownState(call);
  return state === "waiting" ? <WaitingState callId={call.id} /> : <StateLabel state={state} />;
}

/** Whom the call waits for. For a sub-agent's request, which this session does not have, any member may count. */
function WaitingState({ callId }: { callId: string }) {
  const request = useLive((state) =>
    Object.values(state.requests).find((item) => item.call_id === callId && item.state === "open"),
  );
  const canAct = useLive((state) => state.canAct);
  const person = usePerson(useLive((state) => state.session?.project_id));
  const may = request ? mayAnswer(request, person, canAct).may : canAct;
  return (
    <span className="state no-shrink small medium state-waiting">
      {waitingLabel(may, request?.approvers ?? "member")}
    </span>
  );
}

function changesOf(call: ToolCall) {
  const { additions, deletions, diff } = call.metadata;
  if (call.state !== "completed") return null;
  if (typeof additions === "number" && typeof deletions === "number") return { additions, deletions };
  const files = patchFilesOf(call.metadata);
  if (files.length > 0) {
    return {
      additions: files.reduce((sum, file) => sum + file.additions, 0),
      deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    };
  }
  return typeof diff === "string" && diff ? countChanges(diff) : null;
}

function Elapsed({ call }: { call: ToolCall }) {
  const running = shownState(call) === "running";
  const now = useNow(running);
  if (!call.started_at) return null;
  const end = call.ended_at ? Date.parse(call.ended_at) : now;
  const took = end - Date.parse(call.started_at);
  if (running && took < 1000) return null;
  return (
    <span className="tool-time no-shrink small number">
      {formatDuration(running ? Math.floor(took / 1000) * 1000 : took)}
    </span>
  );
}

/** Consecutive reads and searches as one row. */
export const ExploreRow = memo(function ExploreRow({ callIds }: { callIds: string[] }) {
  const calls = useLive(useShallow((state) => callIds.flatMap((id) => state.calls[id] ?? [])));
  const [isOpen, setOpen] = useState(false);
  const detailId = useId();
  const busy = calls.some((call) => !call.ended_at);
  return (
    <div className="tool" data-testid="explore-row" data-state={busy ? "running" : "completed"}>
      <button
        type="button"
        className="tool-row line muted"
        aria-expanded={isOpen}
        aria-controls={detailId}
        onClick={() => setOpen(!isOpen)}
      >
        <span className="tool-icon text-faint">
          <Icon name="explore" />
        </span>
        <span className="tool-words">
          <span className="tool-verb medium">{describeExploring(calls)}</span>
        </span>
        {busy && <StateLabel state="running" />}
        <Chevron open={isOpen} />
      </button>
      <div id={detailId} hidden={!isOpen} className="indented">
        {isOpen && callIds.map(renderRow)}
      </div>
    </div>
  );
});
