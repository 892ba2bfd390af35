import { useState } from "react";
import { Link } from "wouter";
import { stopBackground } from "../api/workspaces";
import type { BackgroundCall, WorkspaceDetail } from "../api/workspaceTypes";
import { queryClient } from "../app/queries";
import { formatBytes, formatDuration } from "../lib/format";
import { visibleLine } from "../lib/visible";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { useBackground, workspaceKeys } from "./queries";
import "./WorkspacePage.css";

/** Commands that keep running after the tool call that started them. */
export function Background({ workspace }: { workspace: WorkspaceDetail }) {
  const isRunning = workspace.state === "running";
  const calls = useBackground(workspace.id, isRunning);
  const items = isRunning ? (calls.data?.items ?? []) : [];
  const most = workspace.limits.background_calls?.value;
  const running = items.filter((call) => call.running).length;
  return (
    <section className="workspace-part" aria-label="Background commands" data-testid="background">
      <header className="flow align-baseline between gap-16 gap-y-0 ruled">
        <h2>Background commands</h2>
        {most !== undefined && (
          <span className="muted number">
            {running} of {most}
          </span>
        )}
      </header>
      {calls.error && isRunning && !calls.data && <Problem error={calls.error} />}
      {items.length === 0 && !(calls.error && isRunning) && (
        <p className="muted">
          {isRunning ? "No commands run in the background." : "Nothing runs while the workspace is stopped."}
        </p>
      )}
      {items.length > 0 && (
        <ul className="ruled-top">
          {items.map((call) => (
            <CallRow key={call.call_id} call={call} workspace={workspace} />
          ))}
        </ul>
      )}
    </section>
  );
}

function CallRow({ call, workspace }: { call: BackgroundCall; workspace: WorkspaceDetail }) {
  const { run, busy, error } = useAction();
  const [wasStopped, setStopped] = useState(false);
  const stop = () =>
    run(async () => {
      await stopBackground(workspace.id, call.call_id);
      setStopped(true);
      await queryClient.invalidateQueries({ queryKey: workspaceKeys.background(workspace.id) });
    });
  const command = visibleLine(call.command);
  return (
    <li className="background-call ruled" data-testid="background-call">
      <code className="background-command ellipsis" title={command}>
        {command}
      </code>
      <span className="background-facts muted number">
        {call.running ? `${formatDuration(call.seconds_left * 1000)} left` : "ended"} ·{" "}
        {formatBytes(call.output_bytes)} of output ·{" "}
        <Link href={`/sessions/${call.session_id}`} className="link">
          its session
        </Link>
      </span>
      {call.running && workspace.may.includes("stop_background") && (
        <button
          type="button"
          className="button stop"
          disabled={busy || wasStopped}
          aria-label={`Stop ${command}`}
          onClick={() => void stop()}
        >
          <Icon name="stop" size={14} /> {busy || wasStopped ? "Stopping" : "Stop"}
        </button>
      )}
      {error !== null && <Problem error={error} />}
    </li>
  );
}
