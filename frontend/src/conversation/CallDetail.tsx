import type { ToolCall } from "../api/types";
import { ACTION_DONE, reasonLine } from "../permissions/layers";
import { Why } from "../permissions/Why";
import { outcomeWords } from "../permissions/words";
import { useLive } from "../store/SessionContext";
import { numberIn } from "../tools/facts";
import { CallBody } from "../tools/views";

/** The view of a tool call, with its times and the rule that decided it. */
export function CallDetail({ call }: { call: ToolCall }) {
  return (
    <div className="tool-detail">
      <CallBody call={call} />
      <Facts call={call} />
      <Why callId={call.id} state={call.state} />
    </div>
  );
}

const clock = (time: string) => new Date(time).toLocaleTimeString(undefined, { hour12: false });

function Facts({ call }: { call: ToolCall }) {
  const answer = useLive((state) =>
    Object.values(state.requests).find((item) => item.call_id === call.id && item.state !== "open"),
  );
  const exitCode = numberIn(call.metadata, "exit_code");
  const facts = [
    exitCode === null ? "" : `Exit code ${exitCode}`,
    call.started_at ? `Started ${clock(call.started_at)}` : "",
    answer ? outcomeWords(answer).replace(/\.$/, "") : "",
    call.decision && !answer ? `${ACTION_DONE[call.decision.action]}: ${reasonLine(call.decision)}` : "",
    call.pruned ? "This output is no longer sent to the model, to save space in its context" : "",
  ].filter(Boolean);
  if (facts.length === 0) return null;
  return <p className="facts number">{facts.join(" · ")}</p>;
}
