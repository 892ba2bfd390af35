import { useEffect, useRef } from "react";
import type { ToolCall } from "../api/types";
import { ACTION_DONE, reasonLine } from "../permissions/layers";
import { Why } from "../permissions/Why";
import { outcomeWords } from "../permissions/words";
import { useLive } from "../store/SessionContext";
import { DiffView } from "../ui/DiffView";
import { Scroller } from "../ui/Scroller";
import { CopyButton } from "./CodeBlock";
import { plainOutput } from "./describe";

/** Arguments, output, diff, timing and the deciding rule of one call. */
export function CallDetail({ call }: { call: ToolCall }) {
  const diff = typeof call.metadata.diff === "string" ? call.metadata.diff : "";
  return (
    <div className="tool-detail">
      {call.tool === "bash" ? <Command call={call} /> : !diff && <Arguments call={call} />}
      {diff && <DiffView patch={diff} path={`of call ${call.id.slice(-6)}`} />}
      {(!diff || call.state === "error") && <Output call={call} />}
      <Facts call={call} />
      <Why callId={call.id} state={call.state} />
    </div>
  );
}

function Command({ call }: { call: ToolCall }) {
  const command = typeof call.arguments.command === "string" ? call.arguments.command : call.raw_arguments;
  return (
    <div className="command">
      <span aria-hidden="true">$</span>
      <code>{command}</code>
      <CopyButton text={command} />
    </div>
  );
}

function Arguments({ call }: { call: ToolCall }) {
  const entries = Object.entries(call.arguments);
  if (entries.length === 0) {
    return call.raw_arguments ? <pre className="no-output">{call.raw_arguments}</pre> : null;
  }
  return (
    <dl className="arguments">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Output({ call }: { call: ToolCall }) {
  const ended = call.ended_at !== null;
  const output = plainOutput((ended && call.tool !== "bash" ? call.output : call.live_output) || call.output);
  const box = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: follow the output as it grows
  useEffect(() => {
    if (box.current && !ended) box.current.scrollTop = box.current.scrollHeight;
  }, [output, ended]);
  if (!output) return ended ? <p className="no-output">No output.</p> : null;
  return (
    <Scroller ref={box} className="output" label="Output" testId="tool-output">
      <pre>{output}</pre>
    </Scroller>
  );
}

const clock = (time: string) => new Date(time).toLocaleTimeString(undefined, { hour12: false });

function Facts({ call }: { call: ToolCall }) {
  const answer = useLive((state) =>
    Object.values(state.requests).find((item) => item.call_id === call.id && item.state !== "open"),
  );
  const exitCode = call.metadata.exit_code;
  const facts = [
    typeof exitCode === "number" ? `Exit code ${exitCode}` : "",
    call.started_at ? `Started ${clock(call.started_at)}` : "",
    answer ? outcomeWords(answer).replace(/\.$/, "") : "",
    call.decision && !answer ? `${ACTION_DONE[call.decision.action]}: ${reasonLine(call.decision)}` : "",
  ].filter(Boolean);
  if (facts.length === 0) return null;
  return <p className="facts number">{facts.join(" · ")}</p>;
}
