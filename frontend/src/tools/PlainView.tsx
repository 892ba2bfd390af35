// Plain arguments and output, for tools without a view of their own and for failed calls.
import { useEffect, useRef } from "react";
import type { ToolCall } from "../api/types";
import { FileLink } from "../files/FileLink";
import { visible, visibleLine } from "../lib/visible";
import { Scroller } from "../ui/Scroller";
import { plainOutput } from "./output";
import { TerminalText } from "./TerminalText";
import "./tools.css";
import "./views.css";

export function PlainView({ call }: { call: ToolCall }) {
  return (
    <>
      <Arguments call={call} />
      <Output call={call} />
    </>
  );
}

/** The arguments of a call, with what would hide in them. */
export function Arguments({ call }: { call: Pick<ToolCall, "arguments" | "raw_arguments"> }) {
  const entries = Object.entries(call.arguments);
  if (entries.length === 0) {
    const raw = call.raw_arguments.trim();
    return raw && raw !== "{}" ? <pre className="no-output small muted">{visible(raw)}</pre> : null;
  }
  return (
    <dl className="fact-list">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{visibleLine(name)}</dt>
          <dd>
            <Value
              name={name}
              text={visible(typeof value === "string" ? value : JSON.stringify(value, null, 2))}
            />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Whether a value may need to scroll, and so must be reachable with the keyboard. */
const mayScroll = (text: string) => text.length > 250 || text.split("\n").length > 8;

function Value({ name, text }: { name: string; text: string }) {
  if (!mayScroll(text)) return text;
  return (
    <Scroller className="long-argument" label={name}>
      {text}
    </Scroller>
  );
}

/** The output of a call: for a command all that was streamed, otherwise what the model got. */
export function Output({ call }: { call: ToolCall }) {
  const ended = call.ended_at !== null;
  const written = (ended && call.tool !== "bash" ? call.output : call.live_output) || call.output;
  const output = plainOutput(written);
  const box = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: follow the output as it grows
  useEffect(() => {
    if (box.current && !ended) box.current.scrollTop = box.current.scrollHeight;
  }, [output, ended]);
  if (!output) return ended ? <p className="no-output small muted">No output.</p> : null;
  const whole = FULL_OUTPUT.exec(call.output)?.[0];
  return (
    <>
      <Scroller ref={box} className="output" label="Output" testId="tool-output">
        <pre>
          <TerminalText output={written} />
        </pre>
      </Scroller>
      {whole && (
        <p className="call-note small muted">
          Full output: <FileLink path={whole} />
        </p>
      )}
    </>
  );
}

/** Where the whole of an output is kept that was cut for the model. */
const FULL_OUTPUT = /\/home\/agent\/\.tool-output\/[\w.-]*\w/;
