import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TerminalLink } from "../../src/terminal/link";

/** Stands for the browser's WebSocket. */
class FakeSocket {
  static readonly OPEN = 1;
  static last: FakeSocket;
  readyState = FakeSocket.OPEN;
  sent: Record<string, unknown>[] = [];
  onopen?: () => void;
  onmessage?: (event: { data: string }) => void;
  onclose?: (event: { code: number }) => void;

  constructor() {
    FakeSocket.last = this;
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    this.readyState = 3;
  }

  receive(frame: Record<string, unknown>): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }

  get typed(): string {
    return this.sent
      .filter((frame) => frame.type === "input")
      .map((frame) => frame.data)
      .join("");
  }
}

function opened() {
  const events = {
    onOutput: vi.fn(),
    onSize: vi.fn(),
    onState: vi.fn(),
    onRights: vi.fn(),
    onEnded: vi.fn(),
  };
  const link = new TerminalLink("ses_1", "term_1", events);
  link.open();
  const socket = FakeSocket.last;
  socket.onopen?.();
  socket.receive({ type: "here" });
  events.onState.mockClear();
  return { link, socket, events };
}

describe("a terminal that leaves the screen", () => {
  beforeEach(() => vi.stubGlobal("WebSocket", FakeSocket));
  afterEach(() => vi.unstubAllGlobals());

  it("is closed at once if nothing waits", () => {
    const { link, socket } = opened();
    link.type("ls\r");
    link.close();
    expect([socket.typed, socket.readyState]).toEqual(["ls\r", 3]);
  });

  it("gets all that was typed first, and reports nothing", () => {
    const { link, socket, events } = opened();
    for (const key of "python3 app.py\r") link.type(key);
    link.close();
    expect([socket.typed, socket.readyState]).toEqual(["python3 ", FakeSocket.OPEN]);
    socket.receive({ type: "output", at: 1, data: btoa("python3 "), resets: false, counts: true });
    socket.receive({ type: "ack", id: "1", data: {} });
    expect([socket.typed, socket.readyState]).toEqual(["python3 app.py\r", 3]);
    expect(events.onOutput).not.toHaveBeenCalled();
    expect(events.onState).not.toHaveBeenCalled();
  });

  it("is not waited for when it has ended", () => {
    const { link, socket, events } = opened();
    for (const key of "python3 app.py\r") link.type(key);
    link.close();
    socket.receive({ type: "ended", reason: "closed" });
    expect(socket.readyState).toBe(3);
    expect(events.onEnded).not.toHaveBeenCalled();
  });
});
