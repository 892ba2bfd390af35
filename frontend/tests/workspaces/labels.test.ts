import { describe, expect, it } from "vitest";
import { formatBytes, formatClock } from "../../src/lib/format";
import { busyCpus, diskText, fullness, metersOf } from "../../src/workspaces/labels";
import { formatSpan } from "../../src/workspaces/limits";
import { at } from "../support/builders";
import { usage, workspace } from "../support/workspaces";

describe("what is in use", () => {
  const meter = (name: string, used = usage()) =>
    metersOf(used, workspace().limits, null, true).find((item) => item.name === name);

  it("is said with its limit, each in the unit that reads best", () => {
    expect(meter("memory")?.text).toBe("256 MiB of 1 GiB");
    expect(meter("inodes")?.text).toBe("1,200 of 500,000");
  });

  it("falls back to the limit alone when nothing was measured", () => {
    const [memory] = metersOf(null, workspace().limits, null, true);
    expect(memory).toMatchObject({ used: 0, most: 1024 ** 3, text: "at most 1 GiB" });
  });

  it("of a stopped workspace is its files, against the limits that hold when it starts", () => {
    const limits = workspace().limits;
    const before = usage({ disk: { used: 2 ** 20, limit: 7 * 2 ** 20 } });
    const texts = metersOf(before, limits, null, false).map(({ name, text }) => [name, text]);
    expect(texts).toContainEqual(["memory", "at most 1 GiB"]);
    expect(texts).toContainEqual(["pids", `at most ${limits.pids?.value}`]);
    expect(texts.find(([name]) => name === "disk")?.[1]).toBe(
      `1 MiB of ${formatBytes((limits.disk_mib?.value ?? 0) * 2 ** 20)}`,
    );
  });

  it("has a word from four fifths on, and another when hardly anything is left", () => {
    expect([79, 80, 95].map((used) => fullness({ used, most: 100 }))).toEqual(["", "high", "full"]);
    expect(fullness({ used: 1, most: 0 })).toBe("");
  });
});

describe("busy CPUs", () => {
  it("are what was used between two looks", () => {
    expect(busyCpus(usage(), usage({ cpu_seconds: 13, at: at(2) }))).toBe(1.5);
  });

  it("are not known from one look, nor when the container was started between two", () => {
    expect(busyCpus(null, usage())).toBeNull();
    expect(busyCpus(usage(), usage({ cpu_seconds: 1, at: at(3) }))).toBeNull();
  });
});

it("a soft disk limit is called one", () => {
  expect(diskText("soft")).toMatch(/^Soft limit/);
  expect(diskText("quota")).toMatch(/^Hard limit/);
});

it("sizes, spans and clocks read as people write them", () => {
  expect([0, 2048, 5 * 1024 ** 2, 1.5 * 1024 ** 3].map(formatBytes)).toEqual([
    "0 B",
    "2 KiB",
    "5 MiB",
    "1.5 GiB",
  ]);
  expect([45, 1800, 3600, 7 * 86_400].map(formatSpan)).toEqual(["45 s", "30 min", "1 h", "7 days"]);
  const noon = new Date(2026, 0, 2, 12, 5);
  expect(formatClock(noon.toISOString(), new Date(2026, 0, 2, 18))).toBe("12:05");
  expect(formatClock(noon.toISOString(), new Date(2026, 0, 3, 18))).toContain("2");
});
