import { describe, expect, it } from "vitest";
import {
  colouredOutput,
  markHits,
  parseMatches,
  parsePage,
  parsePaths,
  plainOutput,
  splitPath,
} from "../../src/tools/output";

describe("terminal output", () => {
  it("loses colours, titles and cursor moves", () => {
    expect(plainOutput("\u001b[1;32mok\u001b[0m \u001b]0;title\u0007\u001b[2Kdone")).toBe("ok done");
  });

  it("keeps its colours, and no other escape sequence", () => {
    expect(colouredOutput("\u001b[1;32mok\u001b[0m \u001b]0;title\u0007\u001b[2Kdone\r\n")).toBe(
      "\u001b[1;32mok\u001b[0m done\n",
    );
    expect(colouredOutput("\u001b[32m\u001b[K1\u001b[m\u001b[;1m2\u001b[1;m3\u001b[1;;31m")).toBe(
      "\u001b[32m1\u001b[0m\u001b[0;1m2\u001b[1;0m3\u001b[1;0;31m",
    );
  });

  it("shows the last state of a line that was written over", () => {
    expect(plainOutput("10%\r50%\r100%\nend\r\n")).toBe("100%\nend\n");
  });
});

describe("a page of a file", () => {
  it("is numbered lines and what is said about them", () => {
    expect(parsePage("7: a: b\n8: \n\n(2 more. Go on with offset=9.)")).toEqual({
      lines: [
        { number: 7, text: "a: b" },
        { number: 8, text: "" },
      ],
      notes: "(2 more. Go on with offset=9.)",
    });
  });

  it("is none where nothing is numbered", () => {
    expect(parsePage("src/\ntests/")).toBeNull();
  });
});

it("matches are read by file, with their notes", () => {
  const output =
    "3 lines match.\n\nsrc/a.py:\n  Line 2: def a():\n  Line 9: a()\n\nb.md:\n  Line 1: a\n\n(Only the first 100 matches are shown.)";
  expect(parseMatches(output)).toEqual({
    files: [
      {
        path: "src/a.py",
        lines: [
          { number: 2, text: "def a():" },
          { number: 9, text: "a()" },
        ],
      },
      { path: "b.md", lines: [{ number: 1, text: "a" }] },
    ],
    notes: ["Only the first 100 matches are shown."],
  });
});

it("paths end where the note begins", () => {
  expect(parsePaths("a.py\nb.py\n\n(Only the 2 newest files are shown.)", 2)).toEqual({
    paths: ["a.py", "b.py"],
    notes: ["Only the 2 newest files are shown."],
  });
});

describe("marked places", () => {
  it("are those of plain text", () => {
    expect(markHits("a def def", "def")).toEqual([
      { text: "a ", hit: false },
      { text: "def", hit: true },
      { text: " ", hit: false },
      { text: "def", hit: true },
    ]);
  });

  it("are none for an expression, which could take for ever", () => {
    expect(markHits("aaaa", "(a+)+$")).toEqual([{ text: "aaaa", hit: false }]);
  });
});

it("a path is its folder and its name", () => {
  expect(splitPath("src/tea/pricing.py")).toEqual(["src/tea/", "pricing.py"]);
  expect(splitPath("README.md")).toEqual(["", "README.md"]);
  expect(splitPath("src/tea/")).toEqual(["src/", "tea/"]);
});
