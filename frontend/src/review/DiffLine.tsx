import { memo } from "react";
import { visible } from "../lib/visible";
import { Cell } from "./Cell";
import { type Colours, keyOfLine, type Token } from "./colours";
import type { Layout, Line, Place, Row, Side } from "./rows";
import { markWords } from "./words";

interface DiffLineProps {
  row: Extract<Row, { kind: "line" }>;
  layout: Layout;
  marked: Place | null;
  colours: Colours | undefined;
  onPick: (side: Side, extend: boolean) => void;
}

const SIGNS = { add: "+", remove: "−", context: " " } as const;

/** A line of a diff: both sides beside each other, or one below the other. */
export function DiffLine({ row, layout, marked, colours, onPick }: DiffLineProps) {
  const path = { old: row.file.old_path, new: row.file.path };
  const isMarked = (line: Line | null) =>
    !!line &&
    marked?.side === line.side &&
    marked.path === path[line.side] &&
    line.number >= marked.first &&
    line.number <= marked.last;
  if (layout === "split" && row.file.status !== "added" && row.file.status !== "deleted") {
    return (
      <div className="review-pair" role="presentation">
        {(["old", "new"] as const).map((side) => (
          <Half
            key={side}
            line={row[side]}
            side={side}
            marked={isMarked(row[side])}
            colours={colours}
            onPick={onPick}
          />
        ))}
      </div>
    );
  }
  const line = row.new ?? row.old;
  if (!line) return null;
  return (
    <div className={`review-line line-${line.kind}${isMarked(line) ? " is-marked" : ""}`} role="presentation">
      <NumberCell line={row.old} side="old" path={path.old} onPick={onPick} />
      <NumberCell line={row.new} side="new" path={path.new} onPick={onPick} />
      <Code line={line} colours={colours} />
    </div>
  );
}

interface HalfProps {
  line: Line | null;
  side: Side;
  marked: boolean;
  colours: Colours | undefined;
  onPick: DiffLineProps["onPick"];
}

function Half({ line, side, marked, colours, onPick }: HalfProps) {
  if (!line) return <Cell className="review-half is-missing" />;
  return (
    <div className={`review-half line-${line.kind}${marked ? " is-marked" : ""}`} role="presentation">
      <NumberCell line={line} side={side} path="" onPick={onPick} />
      <Code line={line} colours={colours} />
    </div>
  );
}

interface NumberCellProps {
  line: Line | null;
  side: Side;
  path: string;
  onPick: DiffLineProps["onPick"];
}

function NumberCell({ line, side, onPick }: NumberCellProps) {
  if (!line) return <Cell className="review-number" />;
  const words = side === "old" ? "line before the change" : "line";
  return (
    <Cell className="review-number">
      <button
        type="button"
        tabIndex={-1}
        aria-label={`Comment on ${words} ${line.number}`}
        onClick={(event) => onPick(side, event.shiftKey)}
      >
        {line.number}
      </button>
    </Cell>
  );
}

const Code = memo(function Code({ line, colours }: { line: Line; colours: Colours | undefined }) {
  const words = markWords(line.text, line.other);
  const tokens = colours?.get(keyOfLine(line.side, line.number));
  const pieces = merge(words, tokens ?? [{ text: line.text, color: "" }]);
  return (
    <Cell className="review-code">
      <span className="review-sign" aria-hidden="true">
        {SIGNS[line.kind]}
      </span>
      <span className="sr-only">
        {line.kind === "context" ? "" : line.kind === "add" ? "added: " : "removed: "}
      </span>
      {pieces.map((piece, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one line never move
          key={index}
          className={piece.changed ? "review-word" : undefined}
          style={piece.color ? { color: piece.color } : undefined}
        >
          {visible(piece.text)}
        </span>
      ))}
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
