import { describe, expect, it } from "vitest";
import { codePointLength, placeAt, unitIndex } from "../../src/store/text";

describe("positions in code points", () => {
  it("counts a surrogate pair as one", () => {
    expect(codePointLength("a😀b")).toBe(3);
    expect(codePointLength("")).toBe(0);
  });

  it("counts a lone surrogate as one", () => {
    expect(codePointLength("\ud83d")).toBe(1);
    expect(codePointLength("a\ude00")).toBe(2);
  });

  it("finds the unit behind pairs", () => {
    expect(unitIndex("😀😀x", 2)).toBe(4);
    expect(unitIndex("ab", 9)).toBe(2);
  });

  it("agrees with the iterator of the language for every prefix", () => {
    const text = "né 😀 wörld 👩‍💻 end";
    const points = Array.from(text);
    for (let count = 0; count <= points.length; count += 1) {
      expect(unitIndex(text, count)).toBe(points.slice(0, count).join("").length);
    }
  });
});

describe("placing a piece", () => {
  it("appends at the end", () => {
    expect(placeAt("ab", 2, "cd")).toEqual({ fits: true, text: "abcd" });
  });

  it("appends behind an emoji by code points", () => {
    expect(placeAt("😀", 1, "!")).toEqual({ fits: true, text: "😀!" });
    expect(placeAt("😀", 2, "!")).toEqual({ fits: false });
  });

  it("changes nothing when the piece is there already", () => {
    expect(placeAt("abcd", 1, "bc")).toEqual({ fits: true, text: "abcd" });
  });

  it("adds only what is new of an overlapping piece", () => {
    expect(placeAt("abc", 1, "bcde")).toEqual({ fits: true, text: "abcde" });
  });

  it("refuses a gap, another text and a negative place", () => {
    expect(placeAt("ab", 3, "x")).toEqual({ fits: false });
    expect(placeAt("abc", 1, "xy")).toEqual({ fits: false });
    expect(placeAt("abc", -1, "a")).toEqual({ fits: false });
  });
});
