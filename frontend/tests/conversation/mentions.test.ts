import { describe, expect, it } from "vitest";
import { findMention, putMention } from "../../src/conversation/mentions";

describe("a mention", () => {
  it.each([
    ["@", 1, { start: 0, query: "" }],
    ["ask @ex", 7, { start: 4, query: "ex" }],
    ["ask\n@review/a", 13, { start: 4, query: "review/a" }],
    ["me@example", 10, null],
    ["@ex done", 8, null],
    ["@ex done", 3, { start: 0, query: "ex" }],
  ])("in %j at %i is %j", (text, caret, found) => {
    expect(findMention(text, caret)).toEqual(found);
  });

  it("is replaced by the whole name and one blank", () => {
    expect(putMention("ask @ex to look", { start: 4, query: "ex" }, "explore")).toEqual({
      text: "ask @explore to look",
      caret: 13,
    });
    expect(putMention("@", { start: 0, query: "" }, "general")).toEqual({ text: "@general ", caret: 9 });
  });
});
