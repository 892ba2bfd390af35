import type { ToolCall } from "../api/types";
import { CodeBlock } from "../conversation/CodeBlock";

/** The answer in the shape that the caller asked for. */
export function Structured({ call }: { call: ToolCall }) {
  const value = call.metadata.value ?? call.arguments;
  return <CodeBlock code={JSON.stringify(value, null, 2)} language="json" />;
}
