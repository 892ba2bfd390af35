import { describe, expect, it } from "vitest";
import type { FileDiff } from "../../src/api/types";
import { languageOf } from "../../src/lib/highlight";
import { keyOfLine } from "../../src/review/colours";
import { colour } from "../../src/review/highlight";

describe("syntax colours", () => {
  it("know languages by the ends of names", () => {
    expect(["a/b.py", "x.TSX", "Dockerfile", "a.unknown", "py"].map(languageOf)).toEqual([
      "python",
      "tsx",
      "docker",
      null,
      "python",
    ]);
  });

  it("give every line its pieces, of the side that it is on", async () => {
    const patch = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    return 'x'\n";
    let found: ReadonlyMap<string, readonly { text: string; color: string }[]> = new Map();
    for await (const colours of colour({ path: "a.py", patch } as FileDiff)) found = colours;
    const added = found.get(keyOfLine("new", 2)) ?? [];
    expect(added.map((piece) => piece.text).join("")).toBe("    return 'x'");
    expect(added.find((piece) => piece.text.includes("return"))?.color).toContain("--code-token-keyword");
    expect(
      found
        .get(keyOfLine("old", 2))
        ?.map((piece) => piece.text)
        .join(""),
    ).toBe("    return 1");
  });

  it("join neighbours of one colour, and give none to plain text", async () => {
    const patch = "--- a/a.py\n+++ b/a.py\n@@ -0,0 +1 @@\n+total = price  # tea and cake\n";
    let found: ReadonlyMap<string, readonly { text: string; color: string }[]> = new Map();
    for await (const colours of colour({ path: "a.py", patch } as FileDiff)) found = colours;
    const pieces = found.get(keyOfLine("new", 1)) ?? [];
    expect(pieces.map((piece) => piece.text).join("")).toBe("total = price  # tea and cake");
    expect(pieces[0]).toEqual({ text: "total ", color: "" });
    expect(pieces.at(-1)?.text).toContain("# tea and cake");
    expect(pieces.every((piece, at) => piece.color !== pieces[at - 1]?.color)).toBe(true);
  });
});
