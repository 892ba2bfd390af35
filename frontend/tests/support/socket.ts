/** A WebSocket without a network: the test is the server. */
export class FakeSocket {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static all: FakeSocket[] = [];
  static last = (): FakeSocket => FakeSocket.all[FakeSocket.all.length - 1] as FakeSocket;

  readyState = 0;
  sent: { type: string; id: string; [key: string]: unknown }[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;

  constructor(readonly url: string) {
    FakeSocket.all.push(this);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    this.readyState = 3;
  }

  // the server's side
  accept(): void {
    this.readyState = FakeSocket.OPEN;
    this.onopen?.();
  }

  say(frame: unknown): void {
    this.onmessage?.({ data: typeof frame === "string" ? frame : JSON.stringify(frame) });
  }

  end(code: number): void {
    this.readyState = 3;
    this.onclose?.({ code });
  }

  frames = (type: string) => this.sent.filter((frame) => frame.type === type);
}
