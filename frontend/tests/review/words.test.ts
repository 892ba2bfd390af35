import { describe, expect, it } from "vitest";
import { markWords } from "../../src/review/words";

describe("the words of a changed line", () => {
  it("mark what differs from the other line", () => {
    expect(markWords("if quantity >= BULK:", "if quantity > BULK:").filter((piece) => piece.changed)).toEqual(
      [{ text: "=", changed: true }],
    );
  });

  it("keep the whole text", () => {
    const text = "  return a(b, c)  # why";
    expect(
      markWords(text, "  return a(b)")
        .map((piece) => piece.text)
        .join(""),
    ).toBe(text);
  });

  it("mark nothing in lines that have little in common, are alone, or long", () => {
    expect(markWords("completely new words", "x = 1")).toEqual([
      { text: "completely new words", changed: false },
    ]);
    expect(markWords("a", null)).toEqual([{ text: "a", changed: false }]);
    expect(markWords("a".repeat(900), "a".repeat(901))).toHaveLength(1);
  });
});
