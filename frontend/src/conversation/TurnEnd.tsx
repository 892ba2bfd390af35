import { useState } from "react";
import { useShallow } from "zustand/react/shallow";
import { SystemPromptButton } from "../context/SystemPrompt";
import { formatCost, formatCount, formatDuration, plural, tokensTotal } from "../lib/format";
import { useLive } from "../store/SessionContext";
import { Chevron } from "../ui/Chevron";
import { Icon } from "../ui/Icon";
import { ProblemBox } from "../ui/ProblemBox";
import { UndoTurn } from "../undo/UndoTurn";
import { ForkFromHere } from "../workbench/ForkButton";
import { CopyButton } from "./CodeBlock";
import { answerText, messageText } from "./layout";
import { usePrompt } from "./PromptContext";
import { TryAgain } from "./TryAgain";
import "./Conversation.css";
import "./TurnEnd.css";

const END_LABELS = { completed: "Done", aborted: "Stopped", failed: "Failed" } as const;

/** Summary line of a finished turn: steps, time, tokens and cost. Opens to a table of the steps. */
export function TurnEnd({ turnId, latest }: { turnId: string; latest: boolean }) {
  const turn = useLive((state) => state.turns[turnId]);
  const steps = useSteps(turnId);
  const isPartial = useIsPartial(turnId, steps.length);
  const [isOpen, setOpen] = useState(false);
  if (!turn || !(turn.state in END_LABELS)) return null;
  const state = turn.state as keyof typeof END_LABELS;
  const tokens = steps.reduce((sum, step) => sum + tokensTotal(step.tokens), 0);
  const cost = steps.reduce((sum, step) => sum + step.cost, 0);
  const unpriced = steps.reduce((sum, step) => sum + (step.unpriced_calls ?? 0), 0);
  const took = turn.ended_at ? Date.parse(turn.ended_at) - Date.parse(turn.created_at) : 0;
  return (
    <footer className="turn-end" data-testid="turn-summary" data-state={state}>
      {turn.error && <TurnError turnId={turnId} latest={latest} />}
      <div className="turn-end-line gap-4 gap-y-0 flow">
        <button
          type="button"
          className={`quiet-button inline gap-8 small muted turn-${state}`}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <span className="turn-word medium">{END_LABELS[state]}</span>
          <span className="number">
            {plural(Math.max(turn.step_count, steps.length), "step")} · {formatDuration(took)}
            {!isPartial && ` · ${formatCount(tokens)} tokens · ${formatCost(cost, unpriced)}`}
          </span>
          <Chevron open={isOpen} />
        </button>
        <CopyAnswer turnId={turnId} />
        <TryAgain turnId={turnId} />
        <UndoTurn turnId={turnId} latest={latest} />
        <ForkFromHere turnId={turnId} />
      </div>
      {isOpen && <StepTable turnId={turnId} />}
    </footer>
  );
}

/** Copies what the agent wrote in the turn, as Markdown. */
function CopyAnswer({ turnId }: { turnId: string }) {
  const text = useLive((state) => answerText(state, turnId));
  return text === "" ? null : <CopyButton text={text} label="Copy the answer" />;
}

const useSteps = (turnId: string) =>
  useLive(
    useShallow((state) =>
      (state.messageIdsByTurn[turnId] ?? []).flatMap((id) => {
        const message = state.messages[id];
        return message?.role === "assistant" ? [message] : [];
      }),
    ),
  );

/** Whether the first steps of the turn have not been loaded: sums over its steps would be too small. */
const useIsPartial = (turnId: string, stepCount: number): boolean =>
  useLive(
    (state) =>
      state.older !== null &&
      state.turnIds[0] === turnId &&
      stepCount < (state.turns[turnId]?.step_count ?? 0),
  );

function StepTable({ turnId }: { turnId: string }) {
  const steps = useSteps(turnId);
  const total = useLive((state) => state.turns[turnId]?.step_count ?? 0);
  const isPartial = useIsPartial(turnId, steps.length);
  const first = isPartial ? total - steps.length + 1 : 1;
  return (
    <div className="step-table">
      <table className="number">
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">Model</th>
            <th scope="col">In</th>
            <th scope="col">Out</th>
            <th scope="col">Cached</th>
            <th scope="col">Cost</th>
            <th scope="col">Sent</th>
          </tr>
        </thead>
        <tbody>
          {steps.map((step, index) => (
            <tr key={step.id}>
              <td>{first + index}</td>
              <td>{step.effort ? `${step.model}, ${step.effort}` : step.model}</td>
              <td>{formatCount(step.tokens?.input ?? 0)}</td>
              <td>{formatCount((step.tokens?.output ?? 0) + (step.tokens?.reasoning ?? 0))}</td>
              <td>{formatCount(step.tokens?.cache_read ?? 0)}</td>
              <td>{formatCost(step.cost, step.unpriced_calls)}</td>
              <td>
                {step.state === "complete" && step.agent !== "compaction" && (
                  <SystemPromptButton messageId={step.id} label="System prompt" />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function TurnError({ turnId, latest }: { turnId: string; latest: boolean }) {
  const error = useLive((state) => state.turns[turnId]?.error);
  const canAct = useLive((state) => state.canAct);
  const prompt = useLive((state) => {
    const ids = (state.messageIdsByTurn[turnId] ?? []).filter((id) => state.messages[id]?.role === "user");
    const last = ids[ids.length - 1];
    return last ? messageText(state, last) : "";
  });
  const { send } = usePrompt();
  if (!error) return null;
  return (
    <ProblemBox role="alert" testId="turn-error" message={error.message} hint={error.hint}>
      {latest && canAct && prompt && (
        <button type="button" className="button" onClick={() => void send(prompt)}>
          <Icon name="retry" /> Send again
        </button>
      )}
    </ProblemBox>
  );
}
