// The rows of a review: files, lines, comments and folded folders in one list, of which only a part is drawn.
import type { ReviewComment } from "../api/review";
import type { FileDiff, SessionDiff } from "../api/types";
import { type DiffRow, parseDiff } from "../lib/diff";
import { type Gap, gapsOf, readHunks } from "./context";

export type Side = "old" | "new";
export type Layout = "unified" | "split";
export type Folder = NonNullable<SessionDiff["folded"]>[number];

export interface Line {
  side: Side;
  number: number;
  kind: "add" | "remove" | "context";
  text: string;
  /** The other text of a changed line, to mark the words that differ. */
  other: string | null;
}

/** How the changes are shown. */
export interface ViewOptions {
  layout: Layout;
  ignoreSpace: boolean;
  /** The turn whose changes are shown; empty for the whole session. */
  turn: string;
  /** The commit whose changes are shown; empty for none. */
  commit: string;
}

/** A changed file, and how many lines it has after the change if that is known. */
export type ShownFile = FileDiff & { total?: number };

/** Lines of a file that a comment is about. */
export interface Place {
  path: string;
  side: Side;
  first: number;
  last: number;
}

/** Says in words which lines a comment is about; line 0 is the whole file. */
export function placeLabel({ side, first, last }: Omit<Place, "path">): string {
  if (first === 0) return "Whole file";
  const lines = first === last ? `Line ${first}` : `Lines ${first} to ${last}`;
  return side === "old" ? `${lines}, before the change` : lines;
}

export type Row =
  | { kind: "file"; key: string; file: FileDiff; isOpen: boolean }
  | { kind: "note"; key: string; file: FileDiff; text: string }
  | { kind: "load"; key: string; file: FileDiff }
  | { kind: "image"; key: string; file: FileDiff }
  | { kind: "hunk"; key: string; file: FileDiff; text: string; gap: Gap | null; isLast: boolean }
  | { kind: "line"; key: string; file: FileDiff; old: Line | null; new: Line | null; starts: boolean }
  | { kind: "thread"; key: string; file: FileDiff; comments: readonly ReviewComment[] }
  | { kind: "editor"; key: string; file: FileDiff; place: Place }
  | { kind: "folder"; key: string; folder: Folder; isOpen: boolean };

export interface RowOptions {
  layout: Layout;
  /** Files and folders that the person opened or closed; others open if they are short sources. */
  open: Readonly<Record<string, boolean>>;
  patches: Readonly<Record<string, ShownFile>>;
  comments: readonly ReviewComment[];
  approved: ReadonlySet<string>;
  editor: Place | null;
}

const STATUS_NOTES = { added: "", modified: "", deleted: "", renamed: "" } as const;

const PICTURES = /\.(png|jpe?g|gif|webp)$/i;

/** Whether a file is shown opened: as the person chose, otherwise unless it is generated, deleted or approved. */
export function isOpen(file: FileDiff, options: Pick<RowOptions, "open" | "approved">): boolean {
  return (
    options.open[file.path] ??
    !(file.generated || file.status === "deleted" || options.approved.has(file.path))
  );
}

export function buildRows(files: readonly FileDiff[], folded: readonly Folder[], options: RowOptions): Row[] {
  const rows: Row[] = [];
  const byPath = new Map<string, ReviewComment[]>();
  for (const comment of options.comments) {
    byPath.set(comment.path, [...(byPath.get(comment.path) ?? []), comment]);
  }
  for (const file of files) {
    const opened = isOpen(file, options);
    rows.push({ kind: "file", key: `f:${file.path}`, file, isOpen: opened });
    if (opened) addFile(rows, options.patches[file.path] ?? file, byPath, options);
  }
  for (const folder of folded) {
    rows.push({
      kind: "folder",
      key: `d:${folder.path}`,
      folder,
      isOpen: options.open[`${folder.path}/`] ?? false,
    });
  }
  return rows;
}

function addFile(
  rows: Row[],
  file: ShownFile,
  byPath: Map<string, ReviewComment[]>,
  options: RowOptions,
): void {
  const note = noteOf(file);
  if (note) rows.push({ kind: "note", key: `n:${file.path}`, file, text: note });
  if (file.binary && PICTURES.test(file.path)) rows.push({ kind: "image", key: `i:${file.path}`, file });
  const comments = [
    ...(byPath.get(file.path) ?? []),
    ...(file.old_path === file.path ? [] : (byPath.get(file.old_path) ?? [])),
  ];
  const shown = new Set<string>();
  const add = (side: Side, number: number) => {
    const here = comments.filter(
      (each) => each.side === side && each.last_line === number && each.path === pathOf(file, side),
    );
    for (const each of here) shown.add(each.id);
    if (here.length)
      rows.push({ kind: "thread", key: `t:${file.path}:${side}:${number}`, file, comments: here });
    const { editor } = options;
    if (editor && editor.path === pathOf(file, side) && editor.side === side && editor.last === number) {
      rows.push({ kind: "editor", key: "editor", file, place: editor });
    }
  };
  add("new", 0);
  if (canLoad(file)) rows.push({ kind: "load", key: `l:${file.path}`, file });
  const isOneSided = file.status === "added" || file.status === "deleted";
  for (const row of linesOf(file, isOneSided ? "unified" : options.layout)) {
    rows.push(row);
    if (row.kind === "line") {
      if (row.old) add("old", row.old.number);
      if (row.new) add("new", row.new.number);
    }
  }
  const lost = comments.filter((each) => !shown.has(each.id));
  if (lost.length) rows.push({ kind: "thread", key: `t:${file.path}:lost`, file, comments: lost });
}

/** A renamed file has another name before the change. */
export const pathOf = (file: FileDiff, side: Side): string => (side === "old" ? file.old_path : file.path);

/** Whether the list leaves out the patch, and it can be read alone. */
export function canLoad(file: FileDiff): boolean {
  return file.patch === "" && ["file", "all", "time", "generated"].includes(file.cut);
}

function noteOf(file: FileDiff): string {
  const notes: string[] = [STATUS_NOTES[file.status]];
  if (file.status === "renamed") notes.push(`Renamed from ${file.old_path}.`);
  if (file.old_mode && file.new_mode && file.old_mode !== file.new_mode) {
    notes.push(`Mode changed from ${file.old_mode} to ${file.new_mode}.`);
  }
  if (file.new_mode === "120000") notes.push("A symbolic link.");
  if (file.binary && !PICTURES.test(file.path)) notes.push("Binary file.");
  if (file.cut === "not_recorded") notes.push("Larger than 2 MiB: its content is not compared.");
  if (
    !file.patch &&
    !file.binary &&
    file.cut === "" &&
    file.status !== "renamed" &&
    file.old_mode === file.new_mode
  ) {
    notes.push("No differences to show.");
  }
  return notes.filter(Boolean).join(" ");
}

const parsed = new WeakMap<FileDiff, { unified?: Row[]; split?: Row[] }>();

function linesOf(file: FileDiff, layout: Layout): Row[] {
  const kept = parsed.get(file) ?? {};
  parsed.set(file, kept);
  kept[layout] ??= file.patch ? [...readLines(file, layout)] : [];
  return kept[layout];
}

function* readLines(file: ShownFile, layout: Layout): Generator<Row> {
  const all = parseDiff(file.patch);
  const gaps = leftOut(file);
  let at = 0;
  let hunk = 0;
  while (at < all.length) {
    const row = all[at] as DiffRow;
    if (row.kind === "hunk") {
      const gap = gaps[hunk] ?? null;
      if (gap || hunk > 0 || row.text) {
        yield { kind: "hunk", key: `h:${file.path}:${hunk}`, file, text: row.text, gap, isLast: false };
      }
      hunk += 1;
      at += 1;
    } else if (row.kind === "context") {
      const text = { kind: "context", text: row.text, other: null } as const;
      yield lineRow(
        file,
        { side: "old", number: row.oldLine ?? 0, ...text },
        { side: "new", number: row.newLine ?? 0, ...text },
        false,
      );
      at += 1;
    } else {
      const end = endOfBlock(all, at);
      yield* block(file, all.slice(at, end), layout);
      at = end;
    }
  }
  const rest = gaps[hunk];
  if (rest) yield { kind: "hunk", key: `h:${file.path}:end`, file, text: "", gap: rest, isLast: true };
}

/** Lines that the patch leaves out. New and deleted files are in it as a whole. */
function leftOut(file: ShownFile): (Gap | null)[] {
  if (file.status === "added" || file.status === "deleted") return [];
  return gapsOf(readHunks(file.patch) ?? [], file.total ?? null);
}

/** The key of a row, which stays the same when more lines are shown. */
export const keyOfLines = (path: string, old: number | undefined, fresh: number | undefined): string =>
  `x:${path}:${old ?? ""}:${fresh ?? ""}`;

const lineRow = (file: FileDiff, old: Line | null, fresh: Line | null, starts: boolean): Row => ({
  kind: "line",
  key: keyOfLines(file.path, old?.number, fresh?.number),
  file,
  old,
  new: fresh,
  starts,
});

function endOfBlock(all: readonly DiffRow[], start: number): number {
  let end = start;
  while (all[end]?.kind === "remove" || all[end]?.kind === "add") end += 1;
  return end;
}

/** Lines removed and added at one place: line n of the one belongs to line n of the other. */
function* block(file: FileDiff, changed: readonly DiffRow[], layout: Layout): Generator<Row> {
  const removed = changed.filter((row) => row.kind === "remove");
  const added = changed.filter((row) => row.kind === "add");
  const old = removed.map((row, index) => toLine(row, added[index]?.text ?? null));
  const fresh = added.map((row, index) => toLine(row, removed[index]?.text ?? null));
  const pairs: [Line | null, Line | null][] =
    layout === "split"
      ? Array.from({ length: Math.max(old.length, fresh.length) }, (_, index) => [
          old[index] ?? null,
          fresh[index] ?? null,
        ])
      : [
          ...old.map((line): [Line | null, Line | null] => [line, null]),
          ...fresh.map((line): [Line | null, Line | null] => [null, line]),
        ];
  for (const [index, [left, right]] of pairs.entries()) {
    yield lineRow(file, left, right, index === 0);
  }
}

function toLine(row: DiffRow, other: string | null): Line {
  const isOld = row.kind === "remove";
  return {
    side: isOld ? "old" : "new",
    number: (isOld ? row.oldLine : row.newLine) ?? 0,
    kind: isOld ? "remove" : "add",
    text: row.text,
    other,
  };
}

/** The line of a row that a comment would be about: that of the side, if the row has it. */
export function lineOf(row: Row | undefined, side: Side): Line | null {
  if (row?.kind !== "line") return null;
  const wanted = row[side];
  if (wanted) return wanted;
  return side === "new" ? row.old : row.new;
}

/** The text of the lines of a place, as they are shown. */
export function quoteOf(rows: readonly Row[], place: Place): string {
  const lines: string[] = [];
  for (const row of rows) {
    if (row.kind !== "line" || pathOf(row.file, place.side) !== place.path) continue;
    const line = row[place.side];
    if (line && line.number >= place.first && line.number <= place.last) lines.push(line.text);
  }
  return lines.join("\n").slice(0, 4_000);
}

/** The index of the next row of a kind from `from` in a direction; -1 if there is none. */
export function nextRow(
  rows: readonly Row[],
  from: number,
  step: 1 | -1,
  wanted: (row: Row) => boolean,
): number {
  for (let at = from + step; at >= 0 && at < rows.length; at += step) {
    if (wanted(rows[at] as Row)) return at;
  }
  return -1;
}
