import { describe, expect, it } from "vitest";
import { findMention, putMention, splitMentions } from "../../src/conversation/mentions";

describe("a mention", () => {
  it.each([
    ["@", 1, { start: 0, query: "" }],
    ["ask @ex", 7, { start: 4, query: "ex" }],
    ["ask\n@review/a", 13, { start: 4, query: "review/a" }],
    ["me@example", 10, null],
    ["@ex done", 8, null],
    ["read @src/größe.py", 18, { start: 5, query: "src/größe.py" }],
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

describe("a sent text", () => {
  it("is cut where it calls an agent, the longest name first", () => {
    expect(splitMentions("ask @review/api and @review", ["review", "review/api"])).toEqual([
      "ask ",
      "@review/api",
      " and ",
      "@review",
      "",
    ]);
  });

  it("is one piece where it only looks like a call", () => {
    expect(splitMentions("me@review @reviewer", ["review"])).toEqual(["me@review @reviewer"]);
    expect(splitMentions("@a", [])).toEqual(["@a"]);
  });
});
