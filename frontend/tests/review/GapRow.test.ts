import { describe, expect, it } from "vitest";
import { choicesOf } from "../../src/review/GapRow";

const labels = (first: number, last: number | null, isLast = false) =>
  choicesOf({ first, last, shift: 0 }, isLast).map(({ label }) => label);

describe("the lines that can be shown", () => {
  it("are all of a few", () => {
    expect(labels(5, 5)).toEqual(["Show 1 line"]);
    expect(labels(5, 24)).toEqual(["Show 20 lines"]);
  });

  it("are those next to a hunk, or all, of many", () => {
    expect(labels(1, 100)).toEqual(["Show the previous 20 lines", "Show all 100 lines"]);
    expect(labels(9, 100)).toEqual([
      "Show the previous 20 lines",
      "Show the next 20 lines",
      "Show all 92 lines",
    ]);
    expect(labels(9, 5_000)).not.toContain("Show all 4992 lines");
  });

  it("follow the last hunk", () => {
    expect(labels(9, null, true)).toEqual(["Show the next 20 lines"]);
    expect(labels(9, 100, true)).toEqual(["Show the next 20 lines", "Show all 92 lines"]);
  });
});
