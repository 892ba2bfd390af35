import type { ToolCall } from "../api/types";
import { ACTION_DONE, reasonLine } from "../permissions/layers";
import { Why } from "../permissions/Why";
import { outcomeWords } from "../permissions/words";
import { useLive } from "../store/SessionContext";
import { numberIn } from "../tools/facts";
import { CallBody } from "../tools/views";

/** What a call did in the way its tool is best seen; its times and the deciding rule. */
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
    call.pruned ? "The model does not read this output any more; it made room" : "",
  ].filter(Boolean);
  if (facts.length === 0) return null;
  return <p className="facts number">{facts.join(" · ")}</p>;
}
