import { describe, expect, it } from "vitest";
import { visible, visibleLine } from "../../src/lib/visible";

describe("text to decide on", () => {
  it.each([
    ["ls \u202e# fr- mr", "ls ⟨U+202E⟩# fr- mr"],
    ["echo a\rrm -rf x", "echo a⟨U+000D⟩rm -rf x"],
    ["\u001b[8mrm\u001b[0m", "⟨U+001B⟩[8mrm⟨U+001B⟩[0m"],
    ["cat a\u00a0b\u200bc\u2028d\u3164", "cat a⟨U+00A0⟩b⟨U+200B⟩c⟨U+2028⟩d⟨U+3164⟩"],
    ["tag \u{e0041}", "tag ⟨U+E0041⟩"],
  ])("shows what hides in %j", (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it("leaves everything that can be seen alone", () => {
    const text = "if x:\n\tprint('é, 日本語, עברית, ⚠️ 😀')";
    expect(visible(text)).toBe(text);
  });

  it("marks line breaks where only one line is shown", () => {
    expect(visibleLine("a\nb\tc")).toBe("a⏎b⇥c");
  });
});
