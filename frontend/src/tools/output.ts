// Parses tool outputs for display, from the text that the model gets. Text that cannot be parsed is shown as
// it is.

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal escape sequences are control characters
const TERMINAL_ESCAPES = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the same
const COLOURS = /^\u001b\[([0-9;]*)m$/;

/** Converts terminal output to plain text: removes colours and applies carriage returns. */
export const plainOutput = (output: string): string => lastWritten(output.replace(TERMINAL_ESCAPES, ""));

/**
 * Removes all escape sequences but those of colours, and applies carriage returns. A number that is left out is written
 * as 0, which it means.
 */
export const colouredOutput = (output: string): string =>
  lastWritten(
    output.replace(TERMINAL_ESCAPES, (sequence) => {
      const numbers = COLOURS.exec(sequence)?.[1];
      return numbers === undefined ? "" : `\u001b[${numbers.replace(/^$|^(?=;)|(?<=;)(?=;|$)/g, "0")}m`;
    }),
  );

const lastWritten = (output: string): string =>
  output
    .replace(/\r\n/g, "\n")
    .split("\n")
    .map((line) => line.slice(line.lastIndexOf("\r") + 1))
    .join("\n");

export interface NumberedLine {
  number: number;
  text: string;
}

export interface FilePage {
  lines: NumberedLine[];
  /** Notes of the tool: omitted lines, instructions of the folder. */
  notes: string;
}

const NUMBERED = /^(\d+): (.*)$/;

/** Parses the output of `read`: numbered lines, then notes. Null if there are no numbered lines. */
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

/** Parses the output of `grep`: a count, one block per file, and notes in brackets. */
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

/** Parses the output of `glob`: one path per line, and a note in brackets at the end. */
export function parsePaths(output: string, count: number): Paths {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  return { paths: lines.slice(0, count), notes: lines.slice(count).map(noteText) };
}

export const noteText = (note: string): string => note.replace(/^\(|\)$/g, "");

export interface Piece {
  text: string;
  hit: boolean;
}

const REGEX_CHARACTERS = /[\\^$.*+?()[\]{}|]/;

/**
 * Splits a line at matches of a literal pattern. Regular expressions are not run, as they could take very
 * long.
 */
export function markHits(text: string, pattern: string): Piece[] {
  if (!pattern || REGEX_CHARACTERS.test(pattern)) return [{ text, hit: false }];
  return text
    .split(pattern)
    .flatMap((piece, index) => [
      ...(index > 0 ? [{ text: pattern, hit: true }] : []),
      ...(piece ? [{ text: piece, hit: false }] : []),
    ]);
}

/** Splits a path into folder (with slash) and name. */
export function splitPath(path: string): [folder: string, name: string] {
  const slash = path.replace(/\/$/, "").lastIndexOf("/") + 1;
  return [path.slice(0, slash), path.slice(slash)];
}
