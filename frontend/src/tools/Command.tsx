import type { ToolCall } from "../api/types";
import { CopyButton } from "../conversation/CodeBlock";
import { Output } from "./PlainView";

/** A command with its live output. */
export function Command({ call }: { call: ToolCall }) {
  const command = typeof call.arguments.command === "string" ? call.arguments.command : call.raw_arguments;
  return (
    <>
      <div className="command mono flex align-start">
        <span aria-hidden="true">$</span>
        <code>{command}</code>
        <CopyButton text={command} />
      </div>
      <Output call={call} />
    </>
  );
}
