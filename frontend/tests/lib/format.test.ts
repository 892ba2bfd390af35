import { describe, expect, it } from "vitest";
import { rank } from "../../src/app/paletteRank";
import { formatAgo, formatCost, formatCount, formatDuration, plural } from "../../src/lib/format";

describe("numbers and times", () => {
  it.each([
    [12, "12 ms"],
    [1840, "1.8 s"],
    [24_400, "24 s"],
    [125_000, "2 min 5 s"],
    [7_260_000, "2 h 1 min"],
    [-5, "0 ms"],
  ])("%d ms read as %s", (ms, words) => {
    expect(formatDuration(ms)).toBe(words);
  });

  it.each([
    [999, "999"],
    [4210, "4.2k"],
    [24_600, "25k"],
    [1_500_000, "1.5M"],
  ])("%d reads as %s", (count, words) => {
    expect(formatCount(count)).toBe(words);
  });

  it("small costs keep their digits", () => {
    expect([0, 0.0021, 0.314].map((cost) => formatCost(cost))).toEqual(["$0", "$0.0021", "$0.31"]);
  });

  it("a cost that nobody knows is not free", () => {
    expect(formatCost(0, 3)).toBe("unknown cost");
    expect(formatCost(0.5, 1)).toBe("$0.50 + unknown cost");
  });

  it("ages read as people say them", () => {
    const now = Date.parse("2026-01-02T12:00:00Z");
    const ago = (seconds: number) => formatAgo(new Date(now - seconds * 1000).toISOString(), now);
    expect([5, 120, 7200, 90_000].map(ago)).toEqual(["just now", "2 min ago", "2 h ago", "1 day ago"]);
    expect(formatAgo("rubbish", now)).toBe("");
  });

  it("one is not many", () => {
    expect([plural(1, "match", "matches"), plural(2, "match", "matches")]).toEqual(["1 match", "2 matches"]);
  });
});

describe("the palette", () => {
  const found = (query: string) =>
    rank(["New session", "Session about news", "Home"], query, (text) => text).map((match) => match.item);

  it("wants every word, and prefers beginnings", () => {
    expect(found("new")).toEqual(["New session", "Session about news"]);
    expect(found("ses new")).toHaveLength(2);
    expect(found("zebra")).toEqual([]);
  });

  it("shows everything for an empty query", () => {
    expect(found("")).toHaveLength(3);
  });
});
