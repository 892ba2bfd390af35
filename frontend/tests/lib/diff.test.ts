import { describe, expect, it } from "vitest";
import { countChanges, parseDiff, splitPatch } from "../../src/lib/diff";

const PATCH = `diff --git a/x b/x
--- a/x
+++ b/x
@@ -1,3 +1,3 @@ def f():
 one
-two
+TWO
 three
@@ -9 +9,2 @@
 nine
+--- not a header
\\ No newline at end of file
`;

describe("a unified diff", () => {
  it("becomes numbered rows without headers", () => {
    expect(parseDiff(PATCH).map((row) => [row.kind, row.oldLine, row.newLine, row.text])).toEqual([
      ["hunk", null, null, "def f():"],
      ["context", 1, 1, "one"],
      ["remove", 2, null, "two"],
      ["add", null, 2, "TWO"],
      ["context", 3, 3, "three"],
      ["hunk", null, null, ""],
      ["context", 9, 9, "nine"],
      ["add", null, 10, "--- not a header"],
    ]);
  });

  it("counts lines, not headers", () => {
    expect(countChanges(PATCH)).toEqual({ additions: 2, deletions: 1 });
  });

  it("says that it was cut", () => {
    const rows = parseDiff("@@ -0,0 +1,9 @@\n+one\n\\ 1,234 bytes of this diff are not shown.\n");
    expect(rows.map((row) => row.text)).toEqual(["", "one", "1,234 bytes of this diff are not shown."]);
  });

  it("of nothing, or of something else, is empty", () => {
    expect(parseDiff("")).toEqual([]);
    expect(parseDiff("Binary files differ")).toEqual([]);
  });

  it("keeps a removed line that looks like a header", () => {
    expect(parseDiff("@@ -1,2 +1 @@\n--- a\n same\n").map((row) => row.kind)).toEqual([
      "hunk",
      "remove",
      "context",
    ]);
  });
});

it("a diff that was cut ends where it says so, and the next file of the patch begins", () => {
  const first = "--- a/x\n+++ b/x\n@@ -0,0 +1,9 @@\n+one\n\\ 1,234 bytes of this diff are not shown.";
  const second = "--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n";
  expect(splitPatch(`${first}\n${second}`)).toEqual([first, second]);
  expect(countChanges(`${first}\n${second}`)).toEqual({ additions: 2, deletions: 1 });
});

it("a patch of several files is cut at their headers, not at lines that look like one", () => {
  const first = "--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n--- no header\n kept";
  const second = "--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n";
  expect(splitPatch(`${first}\n${second}`)).toEqual([first, second]);
});
