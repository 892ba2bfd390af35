import type { ToolCall } from "../api/types";
import { ToolRow } from "../conversation/ToolRow";
import { useLive } from "../store/SessionContext";
import { CallLines } from "./CallLines";
import { batchOf, type CallLine } from "./facts";

/** The calls of a batch, each as a tool row if the session knows it. */
export function Batch({ call }: { call: ToolCall }) {
  const lines = batchOf(call);
  return (
    <div className="explored" data-testid="batch">
      {lines.map((line, index) => (
        <BatchLine key={line.callId || index} line={line} />
      ))}
    </div>
  );
}

function BatchLine({ line }: { line: CallLine }) {
  const known = useLive((state) => line.callId in state.calls);
  return known ? (
    <ToolRow callId={line.callId} latest={false} />
  ) : (
    <CallLines lines={[line]} label={line.tool} />
  );
}
