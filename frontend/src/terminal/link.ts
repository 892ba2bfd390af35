// The connection to one terminal. After an interruption it continues where it was.
import type { TerminalEnded, TerminalServerFrame } from "../api/terminals";
import { socketAddress } from "../lib/prefix";
import { Socket } from "../store/socket";
import { Typed } from "./typed";

const LAST_SECONDS = 10; // in which the rest of what was typed is sent after the terminal has left the screen

export type LinkState = "connecting" | "here" | "away" | "ended";

export interface LinkEvents {
  /** `done` must be called when the output is shown; more comes only then. With `resets` it begins a new screen. */
  onOutput: (data: Uint8Array, resets: boolean, done: () => void) => void;
  onSize: (rows: number, columns: number) => void;
  onState: (state: LinkState, message: string) => void;
  onRights: (mayType: boolean, reason: string) => void;
  onEnded: (ended: TerminalEnded | null) => void;
}

export class TerminalLink {
  private readonly socket: Socket;
  private readonly typed: Typed;
  private at: number | null = null;
  private frames = 0;
  private lastTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    sessionId: string,
    terminalId: string,
    private readonly events: LinkEvents,
  ) {
    this.typed = new Typed((data) => this.socket.send({ id: this.nextId(), type: "input", data }));
    this.socket = new Socket({
      address: () => socketAddress(`/ws/sessions/${sessionId}/terminals/${terminalId}`),
      onOpen: () => this.socket.send({ id: "hello", type: "hello", after: this.at }),
      onFrame: (frame) => this.handle(frame as unknown as TerminalServerFrame),
      onLink: (link) => {
        if (link === "live") return;
        this.typed.disconnect();
        if (this.lastTimer === undefined)
          this.events.onState("connecting", link === "offline" ? "You are offline." : "");
        else this.socket.close();
      },
      onEnd: () => (this.lastTimer === undefined ? this.finish(null) : this.socket.close()),
    });
  }

  open(): void {
    this.socket.open();
  }

  /** Ends the connection when all that was typed has been sent. Nothing is reported any more. */
  close(): void {
    if (this.typed.isDelayed) this.lastTimer = setTimeout(() => this.socket.close(), LAST_SECONDS * 1000);
    else this.socket.close();
  }

  type(text: string): void {
    this.typed.add(text);
  }

  resize(rows: number, columns: number): void {
    this.socket.send({ id: "resize", type: "resize", rows, columns });
  }

  private handle(frame: TerminalServerFrame): void {
    if (this.lastTimer === undefined) this.show(frame);
    else this.sendRest(frame);
  }

  private show(frame: TerminalServerFrame): void {
    switch (frame.type) {
      case "output":
        this.at = frame.at;
        this.events.onOutput(bytesOf(frame.data), frame.resets, () => {
          if (frame.counts) this.socket.send({ id: "taken", type: "taken" });
        });
        break;
      case "size":
        this.events.onSize(frame.rows, frame.columns);
        break;
      case "here":
        this.typed.connect();
        this.events.onState("here", "");
        break;
      case "away":
        this.typed.disconnect();
        this.events.onState("away", frame.message);
        break;
      case "ended":
        this.finish(frame);
        break;
      case "ack":
        this.acknowledge(frame.id, frame.data);
        break;
    }
  }

  private sendRest(frame: TerminalServerFrame): void {
    if (frame.type === "output" && frame.counts) this.socket.send({ id: "taken", type: "taken" });
    if (frame.type === "ack") this.acknowledge(frame.id, frame.data);
    if (frame.type !== "ended" && frame.type !== "away" && this.typed.isDelayed) return;
    clearTimeout(this.lastTimer);
    this.socket.close();
  }

  private acknowledge(id: unknown, data: unknown): void {
    if (id !== "hello") {
      this.typed.taken();
      return;
    }
    const told = data as { may_type: boolean; reason: string };
    this.events.onRights(told.may_type, told.reason);
  }

  private finish(ended: TerminalEnded | null): void {
    this.typed.disconnect();
    this.socket.close();
    this.events.onState("ended", "");
    this.events.onEnded(ended);
  }

  private nextId(): string {
    this.frames += 1;
    return String(this.frames);
  }
}

export function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
