// A WebSocket that reconnects automatically and sends and receives frames.
import { CLOSE, type ClientFrame } from "../api/frames";
import { takeSocket } from "../lib/early";

export type Link = "connecting" | "live" | "reconnecting" | "offline";
export type EndReason = "signed-out" | "unknown";

export interface SocketOptions {
  address: () => string;
  /** `greeted` says that the socket was opened early and has sent its `hello`. */
  onOpen: (greeted: boolean) => void;
  onFrame: (frame: Record<string, unknown>) => void;
  onLink: (link: Link) => void;
  /** The server ended the connection permanently. */
  onEnd: (reason: EndReason) => void;
  /** Called if a connection never opened, which may mean that the sign-in expired. */
  onRefused?: () => void;
}

const MIN_DELAY_MS = 400;
const MAX_DELAY_MS = 15_000;
const PING_INTERVAL_MS = 15_000;
const PONG_TIMEOUT_MS = 10_000;
const OFFLINE_AFTER_ATTEMPTS = 4;

/**
 * Exponential back-off up to a cap. Half of it is random, so that clients do not reconnect at the same time.
 */
export function reconnectDelay(attempt: number, random: () => number = Math.random): number {
  const full = Math.min(MAX_DELAY_MS, MIN_DELAY_MS * 2 ** Math.min(attempt, 10));
  return full / 2 + (full / 2) * random();
}

export class Socket {
  private socket: WebSocket | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private pinger: ReturnType<typeof setInterval> | undefined;
  private pongTimer: ReturnType<typeof setTimeout> | undefined;
  private attempt = 0;
  private opened = false;
  private closed = false;
  private networkLost = false;

  constructor(private readonly options: SocketOptions) {}

  open(): void {
    window.addEventListener("online", this.retryNow);
    window.addEventListener("offline", this.showOffline);
    this.options.onLink("connecting");
    this.connect();
  }

  close(): void {
    this.closed = true;
    window.removeEventListener("online", this.retryNow);
    window.removeEventListener("offline", this.showOffline);
    this.stopTimers();
    this.drop();
  }

  send(frame: ClientFrame): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(frame));
    return true;
  }

  /** Connects at once, unless the connection lives. One that was open before the network was lost may be dead. */
  readonly retryNow = (): void => {
    if (this.closed || (this.socket?.readyState === WebSocket.OPEN && !this.networkLost)) return;
    this.stopTimers();
    this.drop();
    this.options.onLink("reconnecting");
    this.connect();
  };

  private readonly showOffline = (): void => {
    this.networkLost = true;
    this.options.onLink("offline");
  };

  private connect(): void {
    this.opened = this.networkLost = false;
    const address = this.options.address();
    const early = takeSocket(address);
    const socket = early?.socket ?? new WebSocket(address);
    this.socket = socket;
    socket.onopen = () => this.handleOpen(false);
    socket.onmessage = (message) => this.handleMessage(message.data);
    socket.onclose = (event) => this.handleClose(socket, event.code);
    if (!early || socket.readyState !== WebSocket.OPEN) return;
    this.handleOpen(true);
    for (const data of early.received) this.handleMessage(data);
  }

  private handleOpen(greeted: boolean): void {
    this.opened = true;
    this.attempt = 0;
    this.options.onLink("live");
    this.pinger = setInterval(() => this.ping(), PING_INTERVAL_MS);
    this.options.onOpen(greeted);
  }

  private handleMessage(data: unknown): void {
    clearTimeout(this.pongTimer);
    this.pongTimer = undefined;
    if (typeof data !== "string") return;
    const frame = parseFrame(data);
    if (frame) this.options.onFrame(frame);
  }

  private handleClose(socket: WebSocket, code: number): void {
    if (this.closed || socket !== this.socket) return;
    this.stopTimers();
    this.socket = null;
    if (code === CLOSE.notSignedIn) this.end("signed-out");
    else if (code === CLOSE.unknownSession || code === CLOSE.notAllowed) this.end("unknown");
    else {
      if (!this.opened) this.options.onRefused?.();
      this.scheduleRetry();
    }
  }

  private scheduleRetry(): void {
    const unreachable = !navigator.onLine || this.attempt >= OFFLINE_AFTER_ATTEMPTS;
    this.options.onLink(unreachable ? "offline" : "reconnecting");
    this.timer = setTimeout(() => this.connect(), reconnectDelay(this.attempt));
    this.attempt += 1;
  }

  private end(reason: EndReason): void {
    this.close();
    this.options.onEnd(reason);
  }

  private ping(): void {
    if (this.pongTimer !== undefined) return;
    if (!this.send({ id: "ping", type: "ping" })) return;
    this.pongTimer = setTimeout(() => this.retryDead(), PONG_TIMEOUT_MS);
  }

  /** Reconnects if the connection looks open but no pong arrives, as after sleep or a lost network. */
  private retryDead(): void {
    this.stopTimers();
    this.drop();
    this.scheduleRetry();
  }

  private drop(): void {
    const socket = this.socket;
    this.socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  private stopTimers(): void {
    clearTimeout(this.timer);
    clearInterval(this.pinger);
    clearTimeout(this.pongTimer);
    this.pongTimer = undefined;
  }
}

function parseFrame(data: string): Record<string, unknown> | null {
  try {
    const frame: unknown = JSON.parse(data);
    return frame && typeof frame === "object" && "type" in frame ? (frame as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
