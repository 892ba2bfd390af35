import { plural } from "../lib/format";
import { Cell } from "./Cell";
import type { Gap } from "./context";
import { keyOfLines, type Row } from "./rows";
import type { Review } from "./useReview";

type HunkRow = Extract<Row, { kind: "hunk" }>;

const STEP = 20;
const MOST = 2_000;

interface Choice {
  label: string;
  first: number;
  last: number;
}

/** Returns which of the left-out lines can be shown, what Enter shows first. */
export function choicesOf(gap: Gap, isLast: boolean): Choice[] {
  const { first, last } = gap;
  if (last === null) return [{ label: `Show the next ${STEP} lines`, first, last: first + STEP - 1 }];
  const size = last - first + 1;
  const all = { label: size === 1 ? "Show 1 line" : `Show ${size} lines`, first, last };
  if (size <= STEP) return [all];
  const next = { label: `Show the next ${STEP} lines`, first, last: first + STEP - 1 };
  const previous = { label: `Show the previous ${STEP} lines`, first: last - STEP + 1, last };
  return [
    ...(isLast ? [] : [previous]),
    ...(first > 1 ? [next] : []),
    ...(size <= MOST ? [{ ...all, label: `Show all ${plural(size, "line")}` }] : []),
  ];
}

/** What divides the hunks of a file, with buttons that show the unchanged lines between them. */
export function GapRow({ row, review }: { row: HunkRow; review: Review }) {
  const choices = row.gap ? choicesOf(row.gap, row.isLast) : [];
  return (
    <Cell className="review-hunk line gap-12" testId="review-gap">
      {choices.map((choice) => (
        <button
          key={choice.label}
          type="button"
          className="link no-shrink"
          disabled={review.busy}
          onClick={() => void show(row, review, choice)}
        >
          {choice.label}
        </button>
      ))}
      <span className="ellipsis mono">{row.text || (choices.length === 0 ? "···" : "")}</span>
    </Cell>
  );
}

/** Does what the row's first button does. */
export async function showFirst(row: HunkRow, review: Review): Promise<void> {
  const choice = row.gap && choicesOf(row.gap, row.isLast)[0];
  if (choice) await show(row, review, choice);
}

/** Shows the lines, and moves the cursor to that of them which is next to what was there. */
async function show(row: HunkRow, review: Review, { first, last }: Choice): Promise<void> {
  const { gap } = row;
  if (!gap || review.busy) return;
  const isAbove = !row.isLast && last === gap.last;
  const at = isAbove ? last : first;
  await review.showLines(row.file, first, last, keyOfLines(row.file.path, at - gap.shift, at));
}
