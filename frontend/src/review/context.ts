// Unchanged lines around the hunks of a patch: where some are left out, and the patch with more of them.

export interface Hunk {
  oldStart: number;
  oldCount: number;
  newStart: number;
  newCount: number;
  /** What follows the numbers, such as the name of a function. */
  text: string;
  /** With their signs. */
  lines: string[];
}

/** Unchanged lines that are left out, by their numbers after the change. `last` is null if the end is not known. */
export interface Gap {
  first: number;
  last: number | null;
  /** What to take from a number to get the one before the change. */
  shift: number;
}

/** The known lines of a file after the change by their number from 1, and how many it has. */
export interface KnownLines {
  total: number;
  lines: ReadonlyMap<number, string>;
}

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/;
const CONTEXT = 3;

/** Returns the hunks of a unified diff of one file; null if it is no whole one. */
export function readHunks(patch: string): Hunk[] | null {
  const hunks: Hunk[] = [];
  let oldLeft = 0;
  let newLeft = 0;
  for (const line of patch.replace(/\n$/, "").split("\n")) {
    const hunk = hunks[hunks.length - 1];
    const header = oldLeft <= 0 && newLeft <= 0 ? HEADER.exec(line) : null;
    if (header) {
      const [oldStart, oldCount, newStart, newCount] = header.slice(1, 5).map((text) => Number(text ?? 1));
      oldLeft = oldCount as number;
      newLeft = newCount as number;
      hunks.push({ oldStart, oldCount, newStart, newCount, text: header[5] ?? "", lines: [] } as Hunk);
    } else if (hunk && line.startsWith("\\")) {
      hunk.lines.push(line);
    } else if (hunk && (oldLeft > 0 || newLeft > 0)) {
      hunk.lines.push(line);
      if (!line.startsWith("+")) oldLeft -= 1;
      if (!line.startsWith("-")) newLeft -= 1;
    }
  }
  return oldLeft > 0 || newLeft > 0 ? null : hunks;
}

/** A hunk without lines of one side names the line before it. */
const firstLine = (start: number, count: number) => (count === 0 ? start + 1 : start);
const newFirst = (hunk: Hunk) => firstLine(hunk.newStart, hunk.newCount);
const oldFirst = (hunk: Hunk) => firstLine(hunk.oldStart, hunk.oldCount);

/** Returns the lines that are left out before each hunk and after the last one; null where there are none. */
export function gapsOf(hunks: readonly Hunk[], total: number | null): (Gap | null)[] {
  const gaps: (Gap | null)[] = [];
  let next = 1;
  for (const hunk of hunks) {
    const last = newFirst(hunk) - 1;
    gaps.push(next <= last ? { first: next, last, shift: newFirst(hunk) - oldFirst(hunk) } : null);
    next = newFirst(hunk) + hunk.newCount;
  }
  const end = hunks[hunks.length - 1];
  if (!end) return gaps;
  const shift = next - (oldFirst(end) + end.oldCount);
  const isAtEnd = total === null ? endContext(end) < CONTEXT : next > total;
  gaps.push(isAtEnd ? null : { first: next, last: total, shift });
  return gaps;
}

/** How many unchanged lines end the hunk: fewer than usual if the file ends there. */
function endContext({ lines }: Hunk): number {
  let count = 0;
  while (lines[lines.length - 1 - count]?.startsWith(" ")) count += 1;
  return lines[lines.length - 1]?.startsWith("\\") ? 0 : count;
}

/** Returns the patch with the known lines that touch its hunks. Hunks that then meet become one. */
export function withContext(patch: string, known: KnownLines): string {
  const hunks = readHunks(patch);
  if (!hunks?.length) return patch;
  const start = patch.search(/^@@ /m);
  const joined: Hunk[] = [];
  for (const [index, hunk] of hunks.entries()) {
    const before = joined[joined.length - 1];
    const wider = widened(hunk, {
      from: before ? newFirst(before) + before.newCount : 1,
      to: hunks[index + 1] ? newFirst(hunks[index + 1] as Hunk) - 1 : known.total,
      known,
    });
    if (before && newFirst(before) + before.newCount >= newFirst(wider)) append(before, wider);
    else joined.push(wider);
  }
  return patch.slice(0, start) + joined.map(toText).join("");
}

interface Room {
  from: number;
  to: number;
  known: KnownLines;
}

function widened(hunk: Hunk, { from, to, known }: Room): Hunk {
  const text = (number: number) => known.lines.get(number);
  let above = newFirst(hunk);
  while (above > from && text(above - 1) !== undefined) above -= 1;
  let below = newFirst(hunk) + hunk.newCount;
  while (below <= to && text(below) !== undefined) below += 1;
  const lead = newFirst(hunk) - above;
  const tail = below - (newFirst(hunk) + hunk.newCount);
  if (lead === 0 && tail === 0) return { ...hunk, lines: [...hunk.lines] };
  const context = (first: number, count: number) =>
    Array.from({ length: count }, (_, index) => ` ${text(first + index)}`);
  return {
    ...hunk,
    text: lead > 0 ? "" : hunk.text,
    oldStart: oldFirst(hunk) - lead,
    newStart: above,
    oldCount: hunk.oldCount + lead + tail,
    newCount: hunk.newCount + lead + tail,
    lines: [...context(above, lead), ...hunk.lines, ...context(below - tail, tail)],
  };
}

function append(hunk: Hunk, next: Hunk): void {
  hunk.oldCount += next.oldCount;
  hunk.newCount += next.newCount;
  hunk.lines.push(...next.lines);
}

const toText = (hunk: Hunk) =>
  `@@ -${hunk.oldStart},${hunk.oldCount} +${hunk.newStart},${hunk.newCount} @@${hunk.text}\n${hunk.lines.join("\n")}\n`;
