// Views of the call that started a sub-agent: the progress of its session and what it waits for.
import { useEffect } from "react";
import type { ToolCall } from "../api/types";
import { refreshWaiting, useOpenQuestions, useOpenRequests } from "../app/queries";
import { StoppedNotice } from "../budgets/StoppedTurn";
import { Markdown } from "../conversation/Markdown";
import { formatCost, formatCount, plural } from "../lib/format";
import { PermissionCard } from "../permissions/PermissionCard";
import { QuestionCard } from "../permissions/QuestionCard";
import { hideFromTray } from "../permissions/visibleSession";
import { useLive } from "../store/SessionContext";
import { Scroller } from "../ui/Scroller";
import { CallLines } from "./CallLines";
import { type ChildSession, childOf, textIn } from "./facts";
import { plainOutput } from "./output";
import "./tools.css";
import "./views.css";

const LATEST_CALLS = 4;

/** Shown below the row while the sub-agent works: its latest calls and what it waits for. */
export function SubAgentLive({ call }: { call: ToolCall }) {
  const child = childOf(call);
  return (
    <div className="sub-agent-live" data-testid="sub-agent-live">
      {child.summary.length > LATEST_CALLS && (
        <p className="call-note small muted break-anywhere pre-wrap">
          {plural(child.summary.length - LATEST_CALLS, "earlier call")}
        </p>
      )}
      <CallLines lines={child.summary.slice(-LATEST_CALLS)} label={`Latest calls of ${child.agent}`} />
      {child.summary.length === 0 && (
        <p className="call-note small muted break-anywhere pre-wrap">
          {child.state === "queued" ? "Waiting for a worker" : "Thinking"}
        </p>
      )}
    </div>
  );
}

/** The sub-agent's prompt, calls, result and cost. */
export function SubAgent({ call }: { call: ToolCall }) {
  const child = childOf(call);
  const prompt = textIn(call.arguments, "prompt");
  return (
    <>
      {prompt && <SubAgentPrompt prompt={prompt} />}
      {child.summary.length > 0 && <CallLines lines={child.summary} label={`Calls of ${child.agent}`} />}
      <SubAgentResult call={call} />
      <p className="call-note small muted break-anywhere pre-wrap number">{costLine(child)}</p>
    </>
  );
}

function SubAgentPrompt({ prompt }: { prompt: string }) {
  return (
    <details className="asked-of-agent small">
      <summary className="muted">Prompt for the sub-agent</summary>
      <p className="break-anywhere pre-wrap">{prompt}</p>
    </details>
  );
}

/** Removes the wrapper with ids for the model from the sub-agent's result. */
export function resultText(output: string): string {
  return output
    .replace(/<task_metadata>[\s\S]*?<\/task_metadata>/g, "")
    .replace(/<\/?task_result>/g, "")
    .replace(/^(?:task_id|session_id): .*$/gm, "")
    .trim();
}

function SubAgentResult({ call }: { call: ToolCall }) {
  const text = resultText(plainOutput(call.output));
  if (!text) return null;
  return (
    <Scroller className="output page-text" label="Result of the sub-agent" testId="sub-agent-result">
      <Markdown text={text} streaming={false} />
    </Scroller>
  );
}

function costLine(child: ChildSession): string {
  return [
    plural(child.steps, "step"),
    child.tokens > 0 ? `${formatCount(child.tokens)} tokens` : "",
    formatCost(child.cost, child.unpriced),
  ]
    .filter(Boolean)
    .join(" · ");
}

/** Cards of the sub-agent, so that they can be answered in the parent's conversation. */
export function SubAgentRequests({ call }: { call: ToolCall }) {
  const { waitingSessions, stopped, agent } = childOf(call);
  return (
    <>
      {waitingSessions.map((id) => (
        <CardsOf key={id} sessionId={id} agent={agent} />
      ))}
      {stopped && <StoppedNotice {...stopped} from={`Sub-agent ${agent} is waiting`} />}
    </>
  );
}

function CardsOf({ sessionId, agent }: { sessionId: string; agent: string }) {
  const requests = useOpenRequests().data?.items.filter((item) => item.session_id === sessionId) ?? [];
  const questions = useOpenQuestions().data?.items.filter((item) => item.session_id === sessionId) ?? [];
  const canAct = useLive((state) => state.canAct);
  useEffect(() => {
    refreshWaiting();
    return hideFromTray(sessionId);
  }, [sessionId]);
  if (requests.length + questions.length === 0) return null;
  return (
    <>
      <p className="card-from small medium text-waiting">Sub-agent {agent} asks</p>
      {requests.map((request) => (
        <PermissionCard key={request.id} request={request} projectId={request.project_id} canAct={canAct} />
      ))}
      {questions.map((question) => (
        <QuestionCard key={question.id} question={question} projectId={question.project_id} canAct={canAct} />
      ))}
    </>
  );
}
