import type { ToolCall } from "../api/types";
import { CodeBlock } from "../conversation/CodeBlock";

/** The structured output of a call. */
export function Structured({ call }: { call: ToolCall }) {
  const value = call.metadata.value ?? call.arguments;
  return <CodeBlock code={JSON.stringify(value, null, 2)} language="json" />;
}
