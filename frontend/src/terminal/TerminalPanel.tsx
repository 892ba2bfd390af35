import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import {
  closeTerminal,
  listTerminals,
  openTerminal,
  type Terminal,
  type TerminalEnded,
} from "../api/terminals";
import { queryClient } from "../app/queries";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { useFocusIfLost } from "../ui/useFocusIfLost";
import { openWhenReady } from "./openWhenReady";
import "./terminal.css";

const TerminalView = lazy(() => import("./TerminalView"));
const POLL_MS = 10_000; // others open and close terminals, too

const keyOf = (sessionId: string) => ["terminals", sessionId];

/** The terminals of a session's workspace. */
export function TerminalPanel({ sessionId }: { sessionId: string }) {
  const list = useQuery({
    queryKey: keyOf(sessionId),
    queryFn: () => listTerminals(sessionId),
    refetchInterval: POLL_MS,
  });
  const [chosen, setChosen] = useState("");
  const [ended, setEnded] = useState<Record<string, string>>({});
  const action = useAction();
  const [waits, setWaits] = useState(false);
  const stillShown = useSignal(sessionId);
  const more = useFocusIfLost<HTMLButtonElement>(list.data?.terminals.length);
  const refresh = () => queryClient.invalidateQueries({ queryKey: keyOf(sessionId) });
  if (list.isPending) return <Skeleton rows={4} label="Loading terminals" />;
  if (list.isError && !list.data) return <Problem error={list.error} onRetry={list.refetch} />;
  const { terminals, allowed, may_type: mayType, reason } = list.data;
  if (!allowed) return <Forbidden reason={reason} />;
  const shown = terminals.find((each) => each.id === chosen) ?? terminals.at(-1);
  const open = () =>
    action.run(async () => {
      const shownNow = stillShown();
      const open = () => openTerminal(sessionId);
      try {
        const { id } = await openWhenReady(open, { onWait: () => setWaits(true), signal: shownNow });
        await refresh();
        setChosen(id);
      } catch (problem) {
        if (!shownNow.aborted) throw problem;
      } finally {
        setWaits(false);
      }
    });
  const close = (id: string) =>
    action.run(async () => {
      await closeTerminal(sessionId, id);
      await refresh();
    });
  return (
    <div className="terminals vertical">
      <div className="terminals-bar line gap-4 ruled">
        <Choices terminals={terminals} shown={shown} onChoose={setChosen} />
        {shown && mayType && (
          <button
            type="button"
            className="icon-button"
            aria-label={`Close ${nameOf(terminals, shown)}`}
            disabled={action.busy}
            onClick={() => void close(shown.id)}
          >
            <Icon name="close" size={14} />
          </button>
        )}
        {mayType && (
          <button
            ref={more}
            type="button"
            className="button small push-end"
            disabled={action.busy}
            onClick={() => void open()}
          >
            <Icon name="plus" size={14} /> New terminal
          </button>
        )}
      </div>
      {action.error !== null && <Problem error={action.error} />}
      {waits && (
        <p className="terminal-state small muted" role="status">
          The workspace has no files yet. The terminal opens as soon as it has started.
        </p>
      )}
      {shown ? (
        <Suspense fallback={<Skeleton rows={4} label="Loading the terminal" />}>
          {(shown.end || ended[shown.id]) && (
            <p className="terminal-state small muted" role="status">
              {ended[shown.id] || endText(shown)}
            </p>
          )}
          <TerminalView
            key={shown.id}
            sessionId={sessionId}
            terminalId={shown.id}
            label={nameOf(terminals, shown)}
            onEnded={(how) => {
              setEnded((all) => ({ ...all, [shown.id]: endText(how) }));
              void refresh();
            }}
          />
        </Suspense>
      ) : (
        <p className="empty">
          {reason ||
            "A terminal is a shell in this session's workspace. It stays when you leave the page. What you run there is not asked about by the permission rules; the audit log says who opened and closed it."}
        </p>
      )}
    </div>
  );
}

/** Returns the signal that is aborted when the panel is left or shows another session. */
function useSignal(sessionId: string): () => AbortSignal {
  const controller = useRef(new AbortController());
  // biome-ignore lint/correctness/useExhaustiveDependencies: another session's terminal is not waited for any more
  useEffect(() => {
    controller.current = new AbortController();
    return () => controller.current.abort();
  }, [sessionId]);
  return () => controller.current.signal;
}

function Choices(props: {
  terminals: Terminal[];
  shown: Terminal | undefined;
  onChoose: (id: string) => void;
}) {
  return (
    <fieldset className="terminals-list flex gap-0" aria-label="Terminals">
      {props.terminals.map((each) => (
        <button
          key={each.id}
          type="button"
          className="button small"
          aria-pressed={each.id === props.shown?.id}
          title={openerOf(each)}
          onClick={() => props.onChoose(each.id)}
        >
          {nameOf(props.terminals, each)}
          {each.watchers > 1 && <span className="count">{each.watchers}</span>}
        </button>
      ))}
    </fieldset>
  );
}

function Forbidden({ reason }: { reason: string }) {
  return (
    <div className="empty stack gap-8">
      <p>Terminals are off here. {reason}</p>
      <p className="muted">
        In a terminal, people run what they want in the workspace, without the permission rules. An admin of
        the team can allow terminals in the policy of the team or project, under Sandbox.
      </p>
    </div>
  );
}

function openerOf(terminal: Terminal): string {
  if (terminal.command) return `The agent runs: ${terminal.command}`;
  return `Opened by ${terminal.opened_by?.name || terminal.opened_by?.email || "a person who left the team"}`;
}

function nameOf(terminals: readonly Terminal[], terminal: Terminal): string {
  if (terminal.command) return `Agent: ${terminal.command.split(/\s+/, 1)[0]?.split("/").at(-1)}`;
  return `Terminal ${terminals.indexOf(terminal) + 1}`;
}

function endText(how: TerminalEnded | Terminal | null): string {
  if (how === null) return "You may not watch this terminal any more.";
  const reason = "reason" in how ? how.reason : how.end;
  if (reason === "exited") return `The shell has ended with exit code ${how.exit_code}.`;
  if (reason === "closed") return "This terminal was closed.";
  return "This terminal ended with its container. The files are kept; open a new one.";
}
