// Computes a unified diff of two short lists of lines, in the format of the diff view.
const CONTEXT_LINES = 3;

interface Row {
  sign: " " | "+" | "-";
  text: string;
}

/** Table of the lengths of the longest common subsequences from each pair of positions on. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint16Array[] {
  const table = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i -= 1) {
    const row = table[i] as Uint16Array;
    const next = table[i + 1] as Uint16Array;
    for (let j = after.length - 1; j >= 0; j -= 1) {
      row[j] =
        before[i] === after[j]
          ? (next[j + 1] as number) + 1
          : Math.max(next[j] as number, row[j + 1] as number);
    }
  }
  return table;
}

function rowsOf(before: readonly string[], after: readonly string[]): Row[] {
  const lengths = commonLengths(before, after);
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  const rows: Row[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      rows.push({ sign: " ", text: before[i] as string });
      i += 1;
      j += 1;
    } else if (i < before.length && (j >= after.length || at(i + 1, j) >= at(i, j + 1))) {
      rows.push({ sign: "-", text: before[i] as string });
      i += 1;
    } else {
      rows.push({ sign: "+", text: after[j] as string });
      j += 1;
    }
  }
  return rows;
}

/** Returns the unified diff; empty if nothing differs. */
export function lineDiff(before: readonly string[], after: readonly string[]): string {
  const rows = rowsOf(before, after);
  const isNear = rows.map((_, index) =>
    rows.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1).some((row) => row.sign !== " "),
  );
  const hunks: string[] = [];
  let oldLine = 1;
  let newLine = 1;
  let start = 0;
  while (start < rows.length) {
    let end = start;
    while (end < rows.length && isNear[end] === isNear[start]) end += 1;
    const part = rows.slice(start, end);
    const olds = part.filter((row) => row.sign !== "+").length;
    const news = part.filter((row) => row.sign !== "-").length;
    if (isNear[start]) {
      hunks.push(
        `@@ -${oldLine},${olds} +${newLine},${news} @@`,
        ...part.map((row) => `${row.sign}${row.text}`),
      );
    }
    oldLine += olds;
    newLine += news;
    start = end;
  }
  return hunks.join("\n");
}
