import { useEffect, useRef } from "react";
import type { ToolCall } from "../api/types";
import { reasonWords } from "../permissions/words";
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
    answer
      ? answerWords(answer.state, answer.answered_by?.name || answer.answered_by?.email, answer.message)
      : "",
    call.decision && !answer ? reasonWords(call.decision) : "",
  ].filter(Boolean);
  if (facts.length === 0) return null;
  return <p className="facts number">{facts.join(" · ")}</p>;
}

function answerWords(state: string, who: string | undefined, message: string): string {
  const by = who ? ` by ${who}` : "";
  if (state === "once") return `Allowed once${by}`;
  if (state === "always") return `Always allowed${by}`;
  if (state === "rejected") return `Rejected${by}${message ? `: ${message}` : ""}`;
  return "The question was withdrawn";
}
