import { describe, expect, it } from "vitest";
import { parseDiff } from "../../src/lib/diff";
import { lineDiff } from "../../src/policies/lineDiff";

const signs = { add: "+", remove: "-", context: " ", hunk: "@" } as const;
const shown = (before: string[], after: string[]) =>
  parseDiff(lineDiff(before, after)).map((row) => signs[row.kind] + row.text);

describe("the diff of two lists of lines", () => {
  it("is empty when nothing differs", () => {
    expect(lineDiff(["a", "b"], ["a", "b"])).toBe("");
    expect(lineDiff([], [])).toBe("");
  });

  it("shows what came and what went, in order", () => {
    expect(shown(["a", "b", "c"], ["a", "x", "c"])).toEqual(["@", " a", "-b", "+x", " c"]);
  });

  it("shows a moved line as gone here and come there", () => {
    expect(shown(["a", "b"], ["b", "a"]).sort()).toEqual([" b", "+a", "-a", "@"].sort());
  });

  it("leaves out what is far from any change, and numbers on", () => {
    const before = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
    const after = [...before.slice(0, 19), "other"];
    const rows = parseDiff(lineDiff(before, after));
    expect(rows.map((row) => row.text)).toEqual(["", "line 17", "line 18", "line 19", "line 20", "other"]);
    expect(rows[5]?.newLine).toBe(20);
  });

  it("reads lines that look like a diff's own", () => {
    expect(shown(["-a", "@@ x"], ["+a", "@@ x"])).toEqual(["@", "--a", "++a", " @@ x"]);
  });
});
