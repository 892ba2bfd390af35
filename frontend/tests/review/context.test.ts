import { createTwoFilesPatch } from "diff";
import { describe, expect, it } from "vitest";
import { gapsOf, readHunks, withContext } from "../../src/review/context";

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`);
const OLD = numbered(60);
const NEW = [...OLD.slice(0, 19), "twenty", "and more", ...OLD.slice(20, 39), ...OLD.slice(40)];
const join = (lines: readonly string[]) => `${lines.join("\n")}\n`;
const patchOf = (old: readonly string[], fresh: readonly string[], context = 3) =>
  createTwoFilesPatch("a/a.py", "b/a.py", join(old), join(fresh), "", "", { context });

const known = (lines: readonly string[], first: number, last: number) => ({
  total: lines.length,
  lines: new Map(lines.slice(first - 1, last).map((text, index) => [first + index, text])),
});
const gaps = (patch: string, total: number | null = null) =>
  gapsOf(readHunks(patch) ?? [], total).map((gap) => gap && [gap.first, gap.last, gap.shift]);

describe("lines that are left out", () => {
  it("are before, between and after the hunks", () => {
    expect(gaps(patchOf(OLD, NEW))).toEqual([
      [1, 16, 0],
      [25, 37, 1],
      [44, null, 0],
    ]);
    expect(gaps(patchOf(OLD, NEW), NEW.length)[2]).toEqual([44, 60, 0]);
  });

  it("are none where the file begins and ends", () => {
    const fresh = ["zero", ...OLD.slice(1, 58), "end"];
    expect(gaps(patchOf(OLD, fresh))).toEqual([null, [5, 55, 0], null]);
    expect(gaps(patchOf(OLD, [...OLD.slice(0, 56), "x", ...OLD.slice(57)]), 60)).toEqual([[1, 53, 0], null]);
  });

  it("are none in a file that lost all its lines", () => {
    expect(gaps("--- a/a\n+++ b/a\n@@ -1,2 +0,0 @@\n-a\n-b\n")).toEqual([null, null]);
  });

  it("are none of a patch that was cut", () => {
    expect(readHunks("@@ -1,9 +1,9 @@\n a\n\\ 8 lines not shown.\n")).toBeNull();
  });
});

describe("a patch with more lines", () => {
  const patch = patchOf(OLD, NEW);

  it("has those that touch a hunk", () => {
    const wider = withContext(patch, known(NEW, 12, 16));
    expect(gaps(wider)).toEqual([
      [1, 11, 0],
      [25, 37, 1],
      [44, null, 0],
    ]);
    expect(wider).toContain("@@ -12,");
    expect(withContext(patch, known(NEW, 2, 9))).toContain(" @@\n line 17\n");
  });

  it("joins hunks that meet, with the right numbers", () => {
    const wider = readHunks(withContext(patch, known(NEW, 25, 37)));
    expect(wider).toHaveLength(1);
    expect(wider?.[0]).toMatchObject({ oldStart: 17, oldCount: 27, newStart: 17, newCount: 27 });
  });

  it("is that of the whole file if all lines are known", () => {
    const whole = withContext(patch, known(NEW, 1, NEW.length));
    const lines = (text: string) => text.slice(text.search(/^@@ /m)).split("\n").slice(1);
    expect(lines(whole)).toEqual(lines(patchOf(OLD, NEW, 100)));
    expect(gaps(whole, NEW.length)).toEqual([null, null]);
  });

  it("stays as it is if it was cut", () => {
    const cut = "@@ -1,9 +1,9 @@\n a\n\\ 8 lines not shown.\n";
    expect(withContext(cut, known(NEW, 1, 60))).toBe(cut);
  });
});
