// Typed or pasted text that waits to be sent, in pieces. Only a few of them may be unacknowledged.

const PIECE = 8_192; // UTF-16 code units of one frame
const MAX_OPEN = 8; // frames that were not acknowledged
const INTERRUPTS = new Set(["\x03", "\x1a", "\x1c"]);

export class Typed {
  private waiting = "";
  private open = 0;
  private connected = false;

  constructor(private readonly send: (data: string) => boolean) {}

  /** Queues text. Ctrl-C, Ctrl-Z and Ctrl-\ drop what waits, as the terminal itself does. */
  add(text: string): void {
    if (INTERRUPTS.has(text)) {
      this.waiting = "";
      if (this.connected && this.send(text)) this.open += 1;
      return;
    }
    this.waiting += text;
    this.flush();
  }

  /** One frame was acknowledged. */
  taken(): void {
    this.open = Math.max(0, this.open - 1);
    this.flush();
  }

  /** The terminal is connected, perhaps again: what was on its way before may be lost, and is not sent twice. */
  connect(): void {
    this.open = 0;
    this.connected = true;
    this.flush();
  }

  disconnect(): void {
    this.connected = false;
  }

  /** Whether text that could be sent now waits until earlier frames are acknowledged. */
  get isDelayed(): boolean {
    return this.connected && this.waiting !== "";
  }

  private flush(): void {
    while (this.connected && this.waiting && this.open < MAX_OPEN) {
      const piece = this.waiting.slice(0, endOfPiece(this.waiting));
      if (!this.send(piece)) return;
      this.waiting = this.waiting.slice(piece.length);
      this.open += 1;
    }
  }
}

/** Where the first piece ends: not between the two halves of a character. */
function endOfPiece(text: string): number {
  if (text.length <= PIECE) return text.length;
  const last = text.charCodeAt(PIECE - 1);
  return last >= 0xd800 && last <= 0xdbff ? PIECE - 1 : PIECE;
}
