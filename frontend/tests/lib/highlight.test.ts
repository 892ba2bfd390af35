import { describe, expect, it } from "vitest";
import { colourLines, colourTerminal, languageNamed } from "../../src/lib/highlight";

const all = async <T>(slices: AsyncIterable<{ lines: T[] }>) => {
  const lines: T[] = [];
  for await (const slice of slices) lines.push(...slice.lines);
  return lines;
};

describe("syntax colours of code blocks", () => {
  it("know languages by what stands in front of a block", () => {
    expect(["py", "Python title=x", "TSX {1,2}", "shell", "c++", "mermaid", ""].map(languageNamed)).toEqual([
      "python",
      "python",
      "tsx",
      "bash",
      "c",
      null,
      null,
    ]);
  });

  it("go on over the end of a piece of work", async () => {
    const lines = ['"""', ...Array.from({ length: 60 }, () => "return in a text"), '"""', "return 1"];
    const found = await all(colourLines(lines, "python"));
    expect(found.map((line) => line.map((token) => token.text).join(""))).toEqual(lines);
    expect(found[50]).toHaveLength(1);
    expect(found[62]?.[0]?.color).toContain("--code-token-keyword");
  });

  it("end before a line that would hold up the page", async () => {
    expect(await all(colourLines(["x = 1", "y".repeat(3000)], "python"))).toEqual([]);
  });
});

describe("colours of a terminal", () => {
  it("are those of the theme", async () => {
    const [line] = await all(colourTerminal(["\u001b[31mred\u001b[0m and \u001b[1;92mgreen\u001b[0m"]));
    expect(line).toEqual([
      { text: "red", color: "var(--code-ansi-red)" },
      { text: " and ", color: "" },
      { text: "green", color: "var(--code-ansi-bright-green)" },
    ]);
  });

  it.each(["\u001b[8m", "\u001b[38;2;1;2;3m", "\u001b[38;5;232m", "\u001b[7m", "\u001b[41m"])(
    "never make a text that cannot be read: %j",
    async (sequence) => {
      const [line] = await all(colourTerminal([`${sequence}rm -rf /\u001b[0m`]));
      expect(line).toEqual([{ text: "rm -rf /", color: "" }]);
    },
  );
});
