import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef } from "react";
import { keyOfLine } from "./colours";
import type { Pick } from "./DiffLine";
import { showFirst } from "./GapRow";
import { GridRow, rowId } from "./GridRow";
import { type Layout, lineOf, nextRow, type Place, pathOf, type Row, type Side } from "./rows";
import { useColours } from "./useColours";
import type { Review } from "./useReview";

const LINE_HEIGHT = 20;
const HEIGHTS: Readonly<Record<Row["kind"], number>> = {
  file: 41,
  note: 33,
  load: 49,
  image: 240,
  hunk: 28,
  line: LINE_HEIGHT,
  thread: 120,
  editor: 180,
  folder: 41,
};
const FIELDS = "textarea, input, select, button, a";

/** All rows of a review, of which those near the view are in the page. One row has the cursor. */
export function DiffGrid({ review, layout }: { review: Review; layout: Layout }) {
  const { rows, cursor } = review;
  const scroller = useRef<HTMLDivElement>(null);
  const index = useMemo(() => rows.findIndex((row) => row.key === cursor.key), [rows, cursor.key]);
  // The row with the cursor is always there: screen readers are told of it wherever the view is.
  const rangeExtractor = useCallback(
    (range: Range) => {
      const near = defaultRangeExtractor(range);
      return index < 0 || near.includes(index) ? near : [...near, index].sort((one, other) => one - other);
    },
    [index],
  );
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => HEIGHTS[rows[index]?.kind ?? "line"],
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 12,
    rangeExtractor,
  });
  const items = virtual.getVirtualItems();
  const shownPaths = useMemo(() => pathsOf(items.map((item) => rows[item.index])), [items, rows]);
  const colours = useColours(rows, shownPaths);
  const marked = useMemo(() => markedPlace(rows, review), [rows, review]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list follows only when the cursor jumped
  useEffect(() => {
    if (index < 0) return;
    virtual.scrollToIndex(index, { align: rows[index]?.kind === "file" ? "start" : "auto" });
    if (!document.activeElement?.closest("textarea, input")) scroller.current?.focus({ preventScroll: true });
  }, [cursor.jump]);
  const latest = useRef(review);
  latest.current = review;
  const onPick: Pick = useCallback((key, side, extend) => pick(latest.current, key, side, extend), []);
  const onKeyDown = (event: KeyboardEvent) => handleKey(event, review, index, marked);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot leave out rows
    <div
      ref={scroller}
      className={`review-grid mono small layout-${layout}`}
      role="grid"
      aria-label="Changes"
      aria-rowcount={rows.length}
      aria-activedescendant={index >= 0 ? rowId(index) : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      data-testid="review-grid"
    >
      <div role="presentation" className="review-rows" style={{ height: virtual.getTotalSize() }}>
        {items.map((item) => {
          const row = rows[item.index] as Row;
          const isLine = row.kind === "line";
          const tokens = isLine ? colours.get(row.file.path) : undefined;
          return (
            <GridRow
              key={item.key}
              row={row}
              index={item.index}
              start={item.start}
              measure={virtual.measureElement}
              isActive={item.index === index}
              layout={layout}
              markedOld={isMarked(row, "old", marked)}
              markedNew={isMarked(row, "new", marked)}
              oldTokens={isLine && row.old ? tokens?.get(keyOfLine("old", row.old.number)) : undefined}
              newTokens={isLine && row.new ? tokens?.get(keyOfLine("new", row.new.number)) : undefined}
              onPick={onPick}
              review={isLine ? null : review}
            />
          );
        })}
      </div>
      {rows.length === 0 && <p className="empty">No files changed.</p>}
    </div>
  );
}

function pathsOf(rows: readonly (Row | undefined)[]): string {
  const paths = new Set(rows.flatMap((row) => (row?.kind === "line" ? [row.file.path] : [])));
  return [...paths].join("\n");
}

/** A click on a line number: writes a comment on it, or with Shift on all lines from the cursor to it. */
function pick(review: Review, key: string, side: Side, extend: boolean): void {
  const anchor = extend && review.cursor.anchor ? review.cursor.anchor : key;
  const place = placeBetween(review.rows, anchor, key, side);
  review.setCursor((at) => ({ ...at, key, anchor, side }));
  if (place) review.edit(place);
}

/** The lines between two rows of one file, on one side. */
function placeBetween(rows: readonly Row[], from: string, to: string, side: Side): Place | null {
  const ends = [from, to].map((key) => rows.find((row) => row.key === key));
  const lines = ends.map((row) => lineOf(row, side));
  const [first, last] = lines;
  const [start, end] = ends;
  if (!first || !last || start?.kind !== "line" || end?.kind !== "line" || start.file !== end.file)
    return null;
  const chosen = last.side;
  const begin = start[chosen] ?? end[chosen];
  const numbers = [begin?.number ?? last.number, last.number];
  return {
    path: pathOf(end.file, chosen),
    side: chosen,
    first: Math.min(...numbers),
    last: Math.max(...numbers),
  };
}

/** Whether the line that the row has on a side belongs to the marked place. */
function isMarked(row: Row, side: Side, marked: Place | null): boolean {
  const line = row.kind === "line" ? row[side] : null;
  if (!line || !marked || row.kind !== "line") return false;
  return (
    marked.side === side &&
    marked.path === pathOf(row.file, side) &&
    line.number >= marked.first &&
    line.number <= marked.last
  );
}

function markedPlace(rows: readonly Row[], review: Review): Place | null {
  const { cursor, editor } = review;
  return editor ?? placeBetween(rows, cursor.anchor || cursor.key, cursor.key, cursor.side);
}

/** Whether the cursor can be on the row. */
const isStop = (row: Row): boolean =>
  ["line", "file", "folder"].includes(row.kind) || (row.kind === "hunk" && row.gap !== null);

/** Keys of the grid. They do nothing in fields and buttons; no printable key does anything. */
function handleKey(event: KeyboardEvent, review: Review, index: number, marked: Place | null): void {
  const target = event.target as Element;
  if (event.ctrlKey || event.metaKey || target.matches(FIELDS) || target.closest("dialog")) return;
  const { rows, cursor } = review;
  const row = rows[index];
  const go = (to: number, extend = false) => {
    event.preventDefault();
    const next = rows[to];
    if (next)
      review.setCursor((at) => ({
        ...at,
        key: next.key,
        anchor: extend ? at.anchor : next.key,
        jump: at.jump + 1,
      }));
  };
  const step = event.key === "ArrowDown" || event.key === "PageDown" ? 1 : -1;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    const isChange = (each: Row) => each.kind === "line" && each.starts;
    go(nextRow(rows, index, step, event.altKey ? isChange : isStop), event.shiftKey);
  } else if (event.altKey && (event.key === "PageDown" || event.key === "PageUp")) {
    go(nextRow(rows, index, step, (each) => each.kind === "file"));
  } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    event.preventDefault();
    review.setCursor((at) => ({ ...at, side: event.key === "ArrowLeft" ? "old" : "new" }));
  } else if (event.key === "Enter" && row) {
    event.preventDefault();
    if (row.kind === "line" && marked) review.edit(marked);
    else if (row.kind === "hunk") void showFirst(row, review);
    else review.toggle(row);
  } else if (event.key === "Escape") {
    review.setCursor({ ...cursor, anchor: cursor.key });
  } else if (event.altKey && event.code === "KeyV" && row && "file" in row) {
    event.preventDefault();
    void approveAndGoOn(review, row.file.path, index);
  }
}

/** Approves the file with the cursor, or withdraws the approval, and goes on to the next file. */
async function approveAndGoOn(review: Review, path: string, index: number): Promise<void> {
  const file = review.files.find((each) => each.path === path);
  if (!file || !review.canAct) return;
  const wanted = !review.mine.has(path);
  const next = nextRow(review.rows, index, 1, (each) => each.kind === "file" && each.file.path !== path);
  const key = review.rows[wanted && next >= 0 ? next : index]?.key ?? "";
  if (await review.setApproved(file, wanted)) review.goTo(wanted ? key : `f:${path}`);
}
