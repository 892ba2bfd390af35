// Parses unified diffs into rows for display.

export interface DiffRow {
  kind: "context" | "add" | "remove" | "hunk";
  oldLine: number | null;
  newLine: number | null;
  text: string;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/;

const CUT = /^\\ (.* not shown\.)$/;

/**
 * Returns the rows of all hunks, and a row that says if the diff was cut. File headers and notes are left
 * out.
 */
export function parseDiff(patch: string): DiffRow[] {
  const rows: DiffRow[] = [];
  let oldLine = 0;
  let newLine = 0;
  let oldLeft = 0;
  let newLeft = 0;
  for (const line of patch.replace(/\n$/, "").split("\n")) {
    const cut = CUT.exec(line);
    if (cut) {
      rows.push({ kind: "hunk", oldLine: null, newLine: null, text: cut[1] ?? "" });
      oldLeft = 0;
      newLeft = 0;
    }
    const hunk = oldLeft <= 0 && newLeft <= 0 ? HUNK.exec(line) : null;
    if (hunk) {
      oldLine = Number(hunk[1]);
      newLine = Number(hunk[3]);
      oldLeft = Number(hunk[2] ?? 1);
      newLeft = Number(hunk[4] ?? 1);
      rows.push({ kind: "hunk", oldLine: null, newLine: null, text: (hunk[5] ?? "").trim() });
    } else if (newLeft > 0 && line.startsWith("+")) {
      rows.push({ kind: "add", oldLine: null, newLine, text: line.slice(1) });
      newLine += 1;
      newLeft -= 1;
    } else if (oldLeft > 0 && line.startsWith("-")) {
      rows.push({ kind: "remove", oldLine, newLine: null, text: line.slice(1) });
      oldLine += 1;
      oldLeft -= 1;
    } else if (oldLeft > 0 && newLeft > 0 && !line.startsWith("\\")) {
      rows.push({ kind: "context", oldLine, newLine, text: line.slice(1) });
      oldLine += 1;
      newLine += 1;
      oldLeft -= 1;
      newLeft -= 1;
    }
  }
  return rows;
}

export function countChanges(patch: string): { additions: number; deletions: number } {
  const rows = parseDiff(patch);
  return {
    additions: rows.filter((row) => row.kind === "add").length,
    deletions: rows.filter((row) => row.kind === "remove").length,
  };
}

/** Splits a patch into one patch per file. */
export function splitPatch(patch: string): string[] {
  const files: string[][] = [];
  let left = 0;
  for (const line of patch.split("\n")) {
    const hunk = left <= 0 ? HUNK.exec(line) : null;
    const isHeader = left <= 0 && !hunk && line.startsWith("--- ");
    if (isHeader || files.length === 0) files.push([]);
    files[files.length - 1]?.push(line);
    if (hunk) left = Number(hunk[2] ?? 1) + Number(hunk[4] ?? 1);
    else if (CUT.test(line)) left = 0;
    else if (left > 0) left -= line.startsWith("\\") ? 0 : /^[+-]/.test(line) ? 1 : 2;
  }
  return files.map((lines) => lines.join("\n"));
}

/** Splits the patch of one file into one patch for each hunk. */
export function splitHunks(patch: string): string[] {
  const hunks: string[][] = [];
  let left = 0;
  for (const line of patch.replace(/\n$/, "").split("\n")) {
    const hunk = left <= 0 ? HUNK.exec(line) : null;
    if (hunk) {
      hunks.push([]);
      left = Number(hunk[2] ?? 1) + Number(hunk[4] ?? 1);
    } else if (left > 0) left -= line.startsWith("\\") ? 0 : /^[+-]/.test(line) ? 1 : 2;
    hunks[hunks.length - 1]?.push(line);
  }
  return hunks.map((lines) => `${lines.join("\n")}\n`);
}
