import { useLive } from "../store/SessionContext";
import { CallLines } from "./CallLines";
import type { CallViewProps } from "./callView";
import { batchOf, type CallLine } from "./facts";

/** The calls of a batch, each as a tool row if the session knows it. */
export function Batch({ call, renderRow }: CallViewProps) {
  const lines = batchOf(call);
  return (
    <div className="indented" data-testid="batch">
      {lines.map((line, index) => (
        <BatchLine key={line.callId || index} line={line} renderRow={renderRow} />
      ))}
    </div>
  );
}

function BatchLine({ line, renderRow }: { line: CallLine } & Pick<CallViewProps, "renderRow">) {
  const known = useLive((state) => line.callId in state.calls);
  return known ? renderRow(line.callId) : <CallLines lines={[line]} label={line.tool} />;
}
