import { type FormEvent, useEffect, useRef, useState } from "react";
import type { TerminalEnded } from "../api/terminals";
import { Icon } from "../ui/Icon";
import { type LinkState, TerminalLink } from "./link";
import { createScreen, readsAloud, type Screen, setReadsAloud } from "./screen";

const SETTLE_MS = 150; // without a change of the size before it is sent
const TOUCH_KEYS = [
  { label: "Esc", data: "\x1b" },
  { label: "Tab", data: "\t" },
  { label: "Ctrl-C", data: "\x03" },
  { label: "Ctrl-D", data: "\x04" },
  { label: "↑", data: "\x1b[A" },
  { label: "↓", data: "\x1b[B" },
] as const;

interface TerminalViewProps {
  sessionId: string;
  terminalId: string;
  label: string;
  onEnded: (ended: TerminalEnded | null) => void;
}

/** One terminal, whose screen is the same for everybody who watches it. */
export default function TerminalView({ sessionId, terminalId, label, onEnded }: TerminalViewProps) {
  const host = useRef<HTMLDivElement>(null);
  const current = useRef<{ screen: Screen; link: TerminalLink } | null>(null);
  const ended = useRef(onEnded);
  ended.current = onEnded;
  const [state, setState] = useState<{ link: LinkState; message: string }>({
    link: "connecting",
    message: "",
  });
  const [rights, setRights] = useState({ mayType: true, reason: "" });

  useEffect(() => {
    if (!host.current) return;
    const found = connect(host.current, sessionId, terminalId, label, {
      onState: (link, message) => setState({ link, message }),
      onRights: (mayType, reason) => setRights({ mayType, reason }),
      onEnded: (how) => ended.current(how),
    });
    current.current = found;
    return found.dispose;
  }, [sessionId, terminalId, label]);

  return (
    <div className="terminal-view vertical">
      <div className="terminal-screen" ref={host} data-state={state.link} />
      <p className="terminal-state small muted" role="status">
        {stateText(state.link, state.message, rights.reason)}
      </p>
      <div className="terminal-tools line gap-4">
        <Search onFind={(text, back) => current.current?.screen.find(text, back) ?? false} />
        {rights.mayType && (
          <fieldset className="terminal-touch flow gap-4" aria-label="Keys">
            {TOUCH_KEYS.map((key) => (
              <button
                key={key.label}
                type="button"
                className="button small"
                onClick={() => current.current?.link.type(key.data)}
              >
                {key.label}
              </button>
            ))}
          </fieldset>
        )}
        <ReaderMode
          onChange={(on) => current.current && setReadsAloud(current.current.screen.terminal, on)}
        />
      </div>
    </div>
  );
}

interface ConnectionEvents {
  onState: (link: LinkState, message: string) => void;
  onRights: (mayType: boolean, reason: string) => void;
  onEnded: (ended: TerminalEnded | null) => void;
}

function connect(
  host: HTMLElement,
  sessionId: string,
  terminalId: string,
  label: string,
  events: ConnectionEvents,
) {
  let mayType = false;
  const screen = createScreen(host, label, {
    onType: (text) => mayType && link.type(text),
    onLeave: () => document.getElementById("tab-Terminal")?.focus(),
  });
  const { terminal } = screen;
  const sendSize = () => {
    const room = screen.room();
    if (!mayType || !room || !host.isConnected) return;
    if (room.rows !== terminal.rows || room.cols !== terminal.cols) link.resize(room.rows, room.cols);
  };
  const link = new TerminalLink(sessionId, terminalId, {
    onOutput: screen.write,
    onSize: (rows, columns) => terminal.resize(columns, rows),
    onState: (state, message) => {
      if (state === "here") sendSize();
      events.onState(state, message);
    },
    onRights: (may, reason) => {
      mayType = may;
      terminal.options.disableStdin = !may;
      events.onRights(may, reason);
    },
    onEnded: events.onEnded,
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const settle = () => {
    clearTimeout(timer);
    timer = setTimeout(sendSize, SETTLE_MS);
  };
  const observer = new ResizeObserver(settle);
  observer.observe(host);
  const scheme = window.matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", screen.refreshColours);
  const attributes = new MutationObserver(screen.refreshColours);
  attributes.observe(document.documentElement, { attributes: true });
  host.addEventListener("focusin", settle);
  link.open();
  // Who walks through the tabs with arrow keys stays there.
  if (!document.activeElement?.matches("[role=tab]:focus-visible")) terminal.focus();
  const dispose = () => {
    clearTimeout(timer);
    observer.disconnect();
    attributes.disconnect();
    scheme.removeEventListener("change", screen.refreshColours);
    host.removeEventListener("focusin", settle);
    link.close();
    screen.dispose();
  };
  return { screen, link, dispose };
}

function stateText(link: LinkState, message: string, reason: string): string {
  if (link === "ended") return "";
  if (link === "away") return `${message} The terminal may go on meanwhile; trying again.`;
  if (link === "connecting") return `Connecting… ${message}`;
  return reason || "Ctrl+Shift+L leaves the terminal, Ctrl+Shift+C copies, Ctrl+Shift+V pastes.";
}

function Search({ onFind }: { onFind: (text: string, back: boolean) => boolean }) {
  const [text, setText] = useState("");
  const [missed, setMissed] = useState(false);
  const find = (event: FormEvent, back: boolean) => {
    event.preventDefault();
    if (text) setMissed(!onFind(text, back));
  };
  return (
    <form className="terminal-search line gap-4" onSubmit={(event) => find(event, true)}>
      <input
        type="search"
        className="field"
        aria-label="Search in the terminal"
        aria-invalid={missed}
        placeholder="Search"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setMissed(false);
        }}
      />
      <button type="submit" className="icon-button" aria-label="Previous match">
        <Icon name="send" size={14} />
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label="Next match"
        onClick={(event) => find(event, false)}
      >
        <Icon name="down" size={14} />
      </button>
      {missed && (
        <span className="small muted" role="status">
          Not found
        </span>
      )}
    </form>
  );
}

function ReaderMode({ onChange }: { onChange: (on: boolean) => void }) {
  const [on, setOn] = useState(readsAloud);
  return (
    <label className="inline gap-4 small muted push-end">
      <input
        type="checkbox"
        checked={on}
        onChange={(event) => {
          setOn(event.target.checked);
          onChange(event.target.checked);
        }}
      />
      Screen reader
    </label>
  );
}
