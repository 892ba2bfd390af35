import type { ToolCall } from "../api/types";
import { ACTION_LABELS, reasonLine } from "../permissions/layers";
import { outcomeText } from "../permissions/requestLabels";
import { WhyRow } from "../permissions/WhyRow";
import { useLive } from "../store/SessionContext";
import type { CallViewProps } from "../tools/callView";
import { numberIn } from "../tools/facts";
import { ToolDetail } from "../tools/ToolDetail";
import { CallBody } from "../tools/views";
import "./ToolRow.css";

/** The view of a tool call, with its times and the rule that decided it. */
export function CallDetail({ call, renderRow }: CallViewProps) {
  return (
    <ToolDetail>
      <CallBody call={call} renderRow={renderRow} />
      <CallFacts call={call} />
      <WhyRow callId={call.id} state={call.state} />
    </ToolDetail>
  );
}

const clock = (time: string) => new Date(time).toLocaleTimeString(undefined, { hour12: false });

function CallFacts({ call }: { call: ToolCall }) {
  const answer = useLive((state) =>
    Object.values(state.requests).find((item) => item.call_id === call.id && item.state !== "open"),
  );
  const exitCode = numberIn(call.metadata, "exit_code");
  const facts = [
    exitCode === null ? "" : `Exit code ${exitCode}`,
    call.started_at ? `Started ${clock(call.started_at)}` : "",
    answer ? outcomeText(answer).replace(/\.$/, "") : "",
    call.decision && !answer ? `${ACTION_LABELS[call.decision.action]}: ${reasonLine(call.decision)}` : "",
    call.pruned ? "This output is no longer sent to the model, to save space in its context" : "",
  ].filter(Boolean);
  if (facts.length === 0) return null;
  return <p className="facts small muted break-anywhere number">{facts.join(" · ")}</p>;
}
