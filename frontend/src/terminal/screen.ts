// The screen of a terminal: xterm with our colours, keys and addons.
import { FitAddon } from "@xterm/addon-fit";
import { SearchAddon } from "@xterm/addon-search";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { type ITheme, Terminal } from "@xterm/xterm";
import { beginStrictStyles } from "./strictStyles";
import "@xterm/xterm/css/xterm.css";

const LINES_KEPT = 10_000;
const WHOLE_PIECE = 60_000; // bytes; the server sends a long past in pieces of at least this many

export interface ScreenEvents {
  onType: (text: string) => void;
  /** The person pressed the key that leaves the terminal. */
  onLeave: () => void;
}

export interface Screen {
  readonly terminal: Terminal;
  write: (data: Uint8Array, resets: boolean, done: () => void) => void;
  /** The rows and columns for which there is room. */
  room: () => { rows: number; cols: number } | undefined;
  find: (text: string, back: boolean) => boolean;
  refreshColours: () => void;
  dispose: () => void;
}

export function createScreen(host: HTMLElement, label: string, events: ScreenEvents): Screen {
  const stopStrictStyles = beginStrictStyles();
  const terminal = new Terminal({
    allowProposedApi: true,
    cursorBlink: false,
    fontFamily: getComputedStyle(host).fontFamily,
    fontSize: 13,
    lineHeight: 1.2,
    scrollback: LINES_KEPT,
    theme: themeOf(host),
    minimumContrastRatio: 4.5,
    screenReaderMode: readsAloud(),
    linkHandler: { activate: (_event, address) => openLink(address) },
  });
  const fit = new FitAddon();
  const search = new SearchAddon();
  terminal.loadAddon(fit);
  terminal.loadAddon(search);
  terminal.loadAddon(new WebLinksAddon((_event, address) => openLink(address)));
  terminal.open(host);
  terminal.textarea?.setAttribute("aria-label", `${label}. Ctrl Shift L leaves the terminal.`);
  const replay = { quiet: true };
  terminal.onData((text) => {
    // answers to questions of programs that a replay repeats, or of a window that nobody types into, are not sent
    if (!replay.quiet && host.contains(document.activeElement)) events.onType(text);
  });
  terminal.attachCustomKeyEventHandler((event) => handleKey(event, terminal, events));
  return {
    terminal,
    write: (data, resets, done) => {
      if (resets) {
        terminal.reset();
        replay.quiet = true;
      }
      terminal.write(data, () => {
        if (data.length < WHOLE_PIECE) replay.quiet = false;
        done();
      });
    },
    room: () => fit.proposeDimensions(),
    find: (text, back) => (back ? search.findPrevious(text) : search.findNext(text)),
    refreshColours: () => {
      terminal.options.theme = themeOf(host);
    },
    dispose: () => {
      terminal.dispose();
      stopStrictStyles();
    },
  };
}

/** Returns whether xterm may handle the key. */
function handleKey(event: KeyboardEvent, terminal: Terminal, events: ScreenEvents): boolean {
  if (event.type !== "keydown" || !event.ctrlKey || !event.shiftKey) return true;
  switch (event.code) {
    case "KeyL":
      event.preventDefault();
      events.onLeave();
      return false;
    case "KeyC":
      event.preventDefault();
      if (terminal.hasSelection()) void navigator.clipboard.writeText(terminal.getSelection());
      return false;
    case "KeyV": // the browser pastes, which xterm handles
      return false;
    default:
      return true;
  }
}

function openLink(address: string): void {
  if (!/^https?:\/\//i.test(address)) return;
  if (window.confirm(`Open ${address}? A program in the terminal wrote this address.`)) {
    window.open(address, "_blank", "noopener,noreferrer");
  }
}

const READS_ALOUD = "terminal-screen-reader";

export const readsAloud = (): boolean => localStorage.getItem(READS_ALOUD) === "yes";

export function setReadsAloud(terminal: Terminal, on: boolean): void {
  localStorage.setItem(READS_ALOUD, on ? "yes" : "no");
  terminal.options.screenReaderMode = on;
}

/** Colours of the page's scheme, as resolved by the style sheet of the host's probes. */
function themeOf(host: HTMLElement): ITheme {
  const colour = (name: string): string => {
    const probe = document.createElement("span");
    probe.style.color = `var(--terminal-${name})`;
    host.append(probe);
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  };
  const theme: Record<string, string> = {
    background: colour("ground"),
    foreground: colour("text"),
    cursor: colour("text"),
    cursorAccent: colour("ground"),
    selectionBackground: colour("selection"),
  };
  for (const name of COLOURS) {
    theme[name] = colour(name);
    theme[`bright${name[0]?.toUpperCase()}${name.slice(1)}`] = colour(`bright-${name}`);
  }
  return theme;
}

const COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;
