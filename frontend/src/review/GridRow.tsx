import { memo } from "react";
import { Cell } from "./Cell";
import { CommentEditor } from "./CommentForms";
import { CommentThread } from "./Comments";
import { DiffLine, type DiffLineProps } from "./DiffLine";
import { FileHead, FolderRow, LoadRow } from "./FileRows";
import { GapRow } from "./GapRow";
import { ImageRow } from "./ImageRow";
import type { Row } from "./rows";
import type { Review } from "./useReview";

export const rowId = (index: number) => `review-row-${index}`;

interface GridRowProps extends Omit<DiffLineProps, "row"> {
  row: Row;
  index: number;
  /** Pixels from the top of the list. */
  start: number;
  measure: (element: Element | null) => void;
  isActive: boolean;
  /** Null for a line, which is then not drawn again when something else changes. */
  review: Review | null;
}

/** A row of the list. While the list is scrolled, only rows that come into view are drawn. */
export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { index, start, isActive } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot leave out rows
    <div
      ref={props.measure}
      data-index={index}
      id={rowId(index)}
      role="row"
      aria-rowindex={index + 1}
      aria-selected={isActive}
      tabIndex={-1}
      className={`review-row${isActive ? " has-cursor" : ""}`}
      style={{ transform: `translateY(${start}px)` }}
    >
      <Content {...props} />
    </div>
  );
});

function Content({ row, review, ...line }: GridRowProps) {
  if (row.kind === "line") return <DiffLine row={row} {...line} />;
  if (!review) return null;
  switch (row.kind) {
    case "file":
      return <FileHead row={row} review={review} />;
    case "folder":
      return <FolderRow row={row} review={review} />;
    case "note":
      return <Cell className="review-note muted">{row.text}</Cell>;
    case "load":
      return <LoadRow row={row} review={review} />;
    case "image":
      return <ImageRow row={row} review={review} />;
    case "hunk":
      return <GapRow row={row} review={review} />;
    case "thread":
      return <CommentThread comments={row.comments} review={review} />;
    case "editor":
      return <CommentEditor place={row.place} review={review} />;
  }
}
