// Outputs of tools as people read them. The text that the model gets is the source; what does not fit is kept as it is.

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal escape sequences are control characters
const ESCAPES = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** Terminal output as plain text: colours dropped, a line that was written over shows its last state. */
export function plainOutput(output: string): string {
  return output
    .replace(ESCAPES, "")
    .replace(/\r\n/g, "\n")
    .split("\n")
    .map((line) => line.slice(line.lastIndexOf("\r") + 1))
    .join("\n");
}

export interface NumberedLine {
  number: number;
  text: string;
}

export interface FilePage {
  lines: NumberedLine[];
  /** What the tool says about the page: what is missing, instructions of the folder. */
  notes: string;
}

const NUMBERED = /^(\d+): (.*)$/;

/** The output of `read`: numbered lines first, then what is said about them. Null when there are no numbers. */
export function parsePage(output: string): FilePage | null {
  const lines: NumberedLine[] = [];
  const all = output.split("\n");
  let at = 0;
  for (; at < all.length; at += 1) {
    const found = NUMBERED.exec(all[at] ?? "");
    if (!found) break;
    lines.push({ number: Number(found[1]), text: found[2] ?? "" });
  }
  return lines.length > 0 ? { lines, notes: all.slice(at).join("\n").trim() } : null;
}

export interface FileMatches {
  path: string;
  lines: NumberedLine[];
}

export interface Matches {
  files: FileMatches[];
  notes: string[];
}

const MATCH = /^ {2}Line (\d+): (.*)$/;

/** The output of `grep`: blocks of one file each, the count above and notes in brackets around them. */
export function parseMatches(output: string): Matches {
  const found: Matches = { files: [], notes: [] };
  for (const block of output.split("\n\n")) {
    const [head = "", ...rest] = block.split("\n");
    const lines = rest.flatMap((line) => {
      const match = MATCH.exec(line);
      return match ? [{ number: Number(match[1]), text: match[2] ?? "" }] : [];
    });
    if (head.endsWith(":") && lines.length > 0) found.files.push({ path: head.slice(0, -1), lines });
    else if (head.startsWith("(")) found.notes.push(noteText(block));
  }
  return found;
}

export interface Paths {
  paths: string[];
  notes: string[];
}

/** The output of `glob`: one path a line, a note in brackets at the end. */
export function parsePaths(output: string, count: number): Paths {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  return { paths: lines.slice(0, count), notes: lines.slice(count).map(noteText) };
}

export const noteText = (note: string): string => note.replace(/^\(|\)$/g, "");

export interface Piece {
  text: string;
  hit: boolean;
}

const SPECIAL = /[\\^$.*+?()[\]{}|]/;

/** A line with the places that match. A pattern with signs of its own is not run here: it could take for ever. */
export function markHits(text: string, pattern: string): Piece[] {
  if (!pattern || SPECIAL.test(pattern)) return [{ text, hit: false }];
  return text
    .split(pattern)
    .flatMap((piece, index) => [
      ...(index > 0 ? [{ text: pattern, hit: true }] : []),
      ...(piece ? [{ text: piece, hit: false }] : []),
    ]);
}

/** The folder with its slash, and the name. */
export function splitPath(path: string): [folder: string, name: string] {
  const slash = path.replace(/\/$/, "").lastIndexOf("/") + 1;
  return [path.slice(0, slash), path.slice(slash)];
}
