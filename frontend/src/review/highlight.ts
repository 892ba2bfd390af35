// Syntax colours of a changed file. Loaded when the first file is shown.
import type { FileDiff } from "../api/types";
import type { Token } from "../lib/colours";
import { parseDiff } from "../lib/diff";
import { colourLines, languageOf } from "../lib/highlight";
import { type Colours, keyOfLine } from "./colours";

/** Yields the colours of a file's lines, more of them each time. Nothing for a language that is not known. */
export async function* colour(file: FileDiff): AsyncGenerator<Colours> {
  const language = languageOf(file.path);
  if (!language || !file.patch) return;
  const found = new Map<string, readonly Token[]>();
  for (const side of ["new", "old"] as const) {
    for (const lines of hunksOf(file.patch, side)) {
      const texts = lines.map((line) => line.text);
      for await (const slice of colourLines(texts, language)) {
        for (const [index, tokens] of slice.lines.entries()) {
          const line = lines[slice.start + index];
          if (line) found.set(keyOfLine(side, line.number), tokens);
        }
        yield new Map(found);
      }
    }
  }
}

function hunksOf(patch: string, side: "old" | "new"): { number: number; text: string }[][] {
  const hunks: { number: number; text: string }[][] = [[]];
  for (const row of parseDiff(patch)) {
    if (row.kind === "hunk") hunks.push([]);
    else {
      const number = side === "old" ? row.oldLine : row.newLine;
      if (number !== null) hunks[hunks.length - 1]?.push({ number, text: row.text });
    }
  }
  return hunks.filter((lines) => lines.length > 0);
}
