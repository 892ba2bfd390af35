import { memo } from "react";
import type { Token } from "../lib/colours";
import { visible } from "../lib/visible";
import { Cell } from "./Cell";
import type { Layout, Line, Row, Side } from "./rows";
import { markWords } from "./words";

export type LineRow = Extract<Row, { kind: "line" }>;
export type Pick = (key: string, side: Side, extend: boolean) => void;

export interface DiffLineProps {
  row: LineRow;
  layout: Layout;
  /** Whether the line of a side is marked for a comment. */
  markedOld: boolean;
  markedNew: boolean;
  /** The syntax colours of each side, once they are known. */
  oldTokens: readonly Token[] | undefined;
  newTokens: readonly Token[] | undefined;
  onPick: Pick;
}

/** A line of a diff: both sides beside each other, or one below the other. */
export function DiffLine({ row, layout, markedOld, markedNew, oldTokens, newTokens, onPick }: DiffLineProps) {
  const { old, new: fresh } = row;
  if (layout === "split" && row.file.status !== "added" && row.file.status !== "deleted") {
    return (
      <div className="review-pair" role="presentation">
        <Half row={row} line={old} isMarked={markedOld} tokens={oldTokens} onPick={onPick} />
        <Half row={row} line={fresh} isMarked={markedNew} tokens={newTokens} onPick={onPick} />
      </div>
    );
  }
  const line = fresh ?? old;
  if (!line) return null;
  const isMarked = line === fresh ? markedNew : markedOld;
  return (
    <div className={classOf("review-line", line, isMarked)} role="presentation">
      <NumberCell row={row} line={old} onPick={onPick} />
      <NumberCell row={row} line={fresh} onPick={onPick} />
      <Code line={line} tokens={line === fresh ? newTokens : oldTokens} />
    </div>
  );
}

interface HalfProps {
  row: LineRow;
  line: Line | null;
  isMarked: boolean;
  tokens: readonly Token[] | undefined;
  onPick: Pick;
}

function Half({ row, line, isMarked, tokens, onPick }: HalfProps) {
  if (!line) return <Cell className="review-half is-missing" />;
  return (
    <div className={classOf("review-half", line, isMarked)} role="presentation">
      <NumberCell row={row} line={line} onPick={onPick} />
      <Code line={line} tokens={tokens} />
    </div>
  );
}

const classOf = (name: string, line: Line, isMarked: boolean) =>
  `${name} line-${line.kind}${isMarked ? " is-marked" : ""}`;

function NumberCell({ row, line, onPick }: { row: LineRow; line: Line | null; onPick: Pick }) {
  if (!line) return <Cell className="review-number" />;
  const words = line.side === "old" ? "line before the change" : "line";
  return (
    <Cell className="review-number">
      <button
        type="button"
        tabIndex={-1}
        aria-label={`Comment on ${words} ${line.number}`}
        onClick={(event) => onPick(row.key, line.side, event.shiftKey)}
      >
        {line.number}
      </button>
    </Cell>
  );
}

const SAID = { add: "added: ", remove: "removed: " } as const;

/** The text of a line. Most of its pieces need no element of their own: a page has thousands of them. */
const Code = memo(function Code({ line, tokens }: { line: Line; tokens: readonly Token[] | undefined }) {
  const words = markWords(line.text, line.other);
  const pieces = merge(words, tokens ?? [{ text: line.text, color: "" }]);
  return (
    <Cell className="review-code">
      {line.kind !== "context" && <span className="sr-only">{SAID[line.kind]}</span>}
      {pieces.map((piece, index) =>
        piece.changed || piece.color ? (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one line never move
            key={index}
            className={piece.changed ? "review-word" : undefined}
            style={piece.color ? { color: piece.color } : undefined}
          >
            {visible(piece.text)}
          </span>
        ) : (
          visible(piece.text)
        ),
      )}
    </Cell>
  );
});

interface Painted {
  text: string;
  changed: boolean;
  color: string;
}

/** Cuts a line where its words or its colours change. Both describe the same text. */
function merge(words: readonly { text: string; changed: boolean }[], tokens: readonly Token[]): Painted[] {
  const pieces: Painted[] = [];
  let at = 0;
  let used = 0;
  for (const word of words) {
    let left = word.text;
    while (left) {
      const token = tokens[at];
      const room = token ? token.text.length - used : left.length;
      const text = left.slice(0, Math.max(room, token ? 0 : left.length));
      if (text) pieces.push({ text, changed: word.changed, color: token?.color ?? "" });
      left = left.slice(text.length);
      used += text.length;
      if (token && used >= token.text.length) {
        at += 1;
        used = 0;
      }
    }
  }
  return pieces;
}
