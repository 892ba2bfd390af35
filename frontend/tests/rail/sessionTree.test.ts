import { expect, it } from "vitest";
import { sessionTree } from "../../src/rail/sessionTree";
import { session } from "../support/builders";

const placed = (...sessions: [string, string | null][]) =>
  sessionTree(sessions.map(([id, parent_id]) => session({ id, parent_id }))).map((item) => [
    item.session.id,
    item.depth,
  ]);

it("sub-agents stand below the session they come from", () => {
  expect(placed(["a", null], ["b", null], ["a1", "a"], ["a2", "a"], ["a1x", "a1"])).toEqual([
    ["a", 0],
    ["a1", 1],
    ["a1x", 2],
    ["a2", 1],
    ["b", 0],
  ]);
});

it("a session whose parent is not known stands by itself, and nobody twice", () => {
  expect(placed(["a1", "a"], ["b", null], ["a1", "a"])).toEqual([
    ["a1", 0],
    ["b", 0],
  ]);
});
