import { describe, expect, it } from "vitest";
import type { FileDiff } from "../../src/api/types";
import { buildRows, lineOf, nextRow, quoteOf, type Row, type RowOptions } from "../../src/review/rows";
import { reviewComment } from "../support/builders";

const PATCH = "--- a/a.py\n+++ b/a.py\n@@ -1,4 +1,5 @@ def f\n one\n-two\n-three\n+2\n+3\n+4\n four\n";

const file = (more: Partial<FileDiff> = {}): FileDiff => ({
  path: "a.py",
  old_path: "a.py",
  status: "modified",
  additions: 3,
  deletions: 2,
  patch: PATCH,
  binary: false,
  cut: "",
  counted: true,
  generated: false,
  old_mode: "100644",
  new_mode: "100644",
  old_size: 1,
  new_size: 1,
  version: "1",
  ...more,
});

const options = (more: Partial<RowOptions> = {}): RowOptions => ({
  layout: "unified",
  open: {},
  patches: {},
  comments: [],
  approved: new Set(),
  editor: null,
  ...more,
});

const shape = (rows: readonly Row[]) =>
  rows.map((row) =>
    row.kind === "line"
      ? `${row.old?.number ?? ""}|${row.new?.number ?? ""}${row.starts ? "*" : ""}`
      : row.kind,
  );

describe("the rows of a review", () => {
  it("put removed lines before added ones, or both beside each other", () => {
    expect(shape(buildRows([file()], [], options()))).toEqual([
      "file",
      "hunk",
      "1|1",
      "2|*",
      "3|",
      "|2",
      "|3",
      "|4",
      "4|5",
    ]);
    expect(shape(buildRows([file()], [], options({ layout: "split" })))).toEqual([
      "file",
      "hunk",
      "1|1",
      "2|2*",
      "3|3",
      "|4",
      "4|5",
    ]);
  });

  it("close approved, generated and deleted files unless a person opened them", () => {
    const files = [file({ generated: true, path: "g" }), file({ status: "deleted", path: "d" }), file()];
    const rows = buildRows(files, [], options({ approved: new Set(["a.py"]), open: { g: true } }));
    expect(rows.flatMap((row) => (row.kind === "file" ? [row.isOpen] : []))).toEqual([true, false, false]);
  });

  it("show comments and the editor below their last line, and lost comments at the end", () => {
    const comments = [
      reviewComment({}),
      reviewComment({ id: "rvc_2", side: "old", first_line: 3, last_line: 3 }),
      reviewComment({ id: "rvc_3", first_line: 900, last_line: 901 }),
      reviewComment({ id: "rvc_4", first_line: 0, last_line: 0 }),
    ];
    const editor = { path: "a.py", side: "new", first: 5, last: 5 } as const;
    expect(shape(buildRows([file()], [], options({ comments, editor })))).toEqual([
      "file",
      "thread",
      "hunk",
      "1|1",
      "2|*",
      "3|",
      "thread",
      "|2",
      "|3",
      "thread",
      "|4",
      "4|5",
      "editor",
      "thread",
    ]);
  });

  it("say what is not a text, and load what the list leaves out", () => {
    const notes = (more: Partial<FileDiff>) =>
      buildRows([file({ patch: "", ...more })], [], options()).flatMap((row) =>
        row.kind === "note" ? [row.text] : [],
      );
    expect(notes({ binary: true, new_mode: "100755" })).toEqual([
      "Mode changed from 100644 to 100755. Binary file.",
    ]);
    expect(notes({ status: "renamed", old_path: "b.py" })).toEqual(["Renamed from b.py."]);
    expect(notes({ cut: "not_recorded" })).toEqual(["Larger than 2 MiB: its content is not compared."]);
    expect(shape(buildRows([file({ patch: "", cut: "file" })], [], options()))).toEqual(["file", "load"]);
  });

  it("fold a folder into one row", () => {
    const folded = [{ path: ".venv", kind: "dependencies", files: 1499 } as const];
    expect(shape(buildRows([], folded, options()))).toEqual(["folder"]);
  });

  it("give the text of a range on its side", () => {
    const rows = buildRows([file()], [], options());
    expect(quoteOf(rows, { path: "a.py", side: "new", first: 2, last: 4 })).toBe("2\n3\n4");
    expect(quoteOf(rows, { path: "a.py", side: "old", first: 1, last: 3 })).toBe("one\ntwo\nthree");
  });

  it("of a renamed file take comments on its old name, with their quote", () => {
    const renamed = file({ status: "renamed", old_path: "b.py" });
    const editor = { path: "b.py", side: "old", first: 2, last: 3 } as const;
    const comments = [reviewComment({ path: "b.py", side: "old", first_line: 1, last_line: 1 })];
    const rows = buildRows([renamed], [], options({ comments, editor, layout: "split" }));
    expect(shape(rows)).toEqual([
      "file",
      "note",
      "hunk",
      "1|1",
      "thread",
      "2|2*",
      "3|3",
      "editor",
      "|4",
      "4|5",
    ]);
    expect(quoteOf(rows, editor)).toBe("two\nthree");
  });

  it("keep their keys when more lines are shown, and say which are left out", () => {
    const hunk = "@@ -4,3 +4,3 @@\n four\n-five\n+5\n six\n";
    const wider = "@@ -3,4 +3,4 @@\n three\n four\n-five\n+5\n six\n";
    const keysOf = (patch: string) => buildRows([file({ patch })], [], options()).map(({ key }) => key);
    const [before, after] = [keysOf(hunk), keysOf(wider)];
    expect(after.filter((key) => !before.includes(key))).toEqual(["x:a.py:3:3"]);
    const gaps = buildRows([file({ patch: hunk })], [], options()).flatMap((row) =>
      row.kind === "hunk" ? [row.gap?.first, row.gap?.last] : [],
    );
    expect(gaps).toEqual([1, 3]);
  });

  it("lead from change to change and from file to file", () => {
    const rows = buildRows([file(), file({ path: "b.py", old_path: "b.py" })], [], options());
    const change = nextRow(rows, 0, 1, (row) => row.kind === "line" && row.starts);
    expect(lineOf(rows[change], "new")).toMatchObject({ side: "old", number: 2 });
    expect(nextRow(rows, change, 1, (row) => row.kind === "file")).toBe(9);
    expect(nextRow(rows, 0, -1, () => true)).toBe(-1);
  });
});
