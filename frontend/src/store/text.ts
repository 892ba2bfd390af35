// Text positions on the wire are Unicode code points; JavaScript strings count UTF-16 units.

const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;
const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;

export function codePointLength(text: string): number {
  let pairs = 0;
  for (let at = 1; at < text.length; at += 1) {
    if (isLowSurrogate(text.charCodeAt(at)) && isHighSurrogate(text.charCodeAt(at - 1))) pairs += 1;
  }
  return text.length - pairs;
}

/** Returns the UTF-16 index of a code point offset. */
export function unitIndex(text: string, count: number): number {
  let at = 0;
  for (let seen = 0; seen < count && at < text.length; seen += 1) {
    const pair = isHighSurrogate(text.charCodeAt(at)) && isLowSurrogate(text.charCodeAt(at + 1));
    at += pair ? 2 : 1;
  }
  return at;
}

export type Placed = { fits: true; text: string } | { fits: false };

/**
 * Puts `piece` into `text` at code point `offset`. A piece that is already there changes nothing. It does not
 * fit if it starts after the end or differs from the existing text.
 */
export function placeAt(text: string, offset: number, piece: string): Placed {
  if (offset < 0) return { fits: false };
  const start = unitIndex(text, offset);
  if (start === text.length) {
    return codePointLength(text) === offset ? { fits: true, text: text + piece } : { fits: false };
  }
  const present = text.slice(start);
  if (present.startsWith(piece)) return { fits: true, text };
  if (piece.startsWith(present)) return { fits: true, text: text + piece.slice(present.length) };
  return { fits: false };
}
