import { describe, expect, it } from "vitest";
import { sentPrompts, step } from "../../src/conversation/history";
import { emptyState } from "../../src/store/state";

const SENT = ["first", "second"];

describe("earlier prompts", () => {
  it("are brought back one by one, and then what was typed", () => {
    const up = step(SENT, "", null, -1);
    expect(up).toEqual({ text: "second", browsing: { at: 1, typed: "" } });
    const further = step(SENT, "second", up?.browsing ?? null, -1);
    expect(further?.text).toBe("first");
    expect(step(SENT, "first", further?.browsing ?? null, -1)).toBeNull();
    expect(step(SENT, "first", further?.browsing ?? null, 1)?.text).toBe("second");
    expect(step(SENT, "second", up?.browsing ?? null, 1)).toEqual({ text: "", browsing: null });
  });

  it("leave a typed or changed text alone", () => {
    expect(step(SENT, "typed", null, -1)).toBeNull();
    expect(step(SENT, "second!", { at: 1, typed: "" }, -1)).toBeNull();
    expect(step(SENT, "", null, 1)).toBeNull();
    expect(step([], "", null, -1)).toBeNull();
  });

  it("are those of people, in order, without repetitions in a row", () => {
    const texts: [string, string, string][] = [
      ["msg_2", "user", "again"],
      ["msg_1", "user", "hello"],
      ["msg_3", "assistant", "answer"],
      ["msg_4", "user", " again "],
    ];
    const state = {
      ...emptyState,
      messages: Object.fromEntries(texts.map(([id, role]) => [id, { id, role }])),
      partIdsByMessage: Object.fromEntries(texts.map(([id]) => [id, [`p${id}`]])),
      parts: Object.fromEntries(texts.map(([id, , text]) => [`p${id}`, { type: "text", text }])),
    } as unknown as typeof emptyState;
    expect(sentPrompts(state)).toEqual(["hello", "again"]);
  });
});
