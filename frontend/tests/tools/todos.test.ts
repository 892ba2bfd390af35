import { expect, it } from "vitest";
import { todoChanges, todosBefore, todosOf } from "../../src/tools/todos";
import { at, call } from "../support/builders";

const list = (...items: [string, string][]) => ({
  todos: items.map(([content, status]) => ({ content, status, priority: "medium" })),
});
const wrote = (second: number, ...items: [string, string][]) =>
  call({ id: `call_${second}`, tool: "todowrite", arguments: list(...items), created_at: at(second) });

it("the list before is the latest one that was written earlier", () => {
  const calls = [wrote(1, ["a", "pending"]), wrote(3, ["b", "pending"]), wrote(5, ["c", "pending"])];
  expect(todosBefore(calls, wrote(4))?.map((todo) => todo.content)).toEqual(["b"]);
  expect(todosBefore(calls, wrote(1))).toBeNull();
});

it("what is new and what moved on is said", () => {
  const before = todosOf(wrote(1, ["a", "in_progress"], ["b", "pending"], ["c", "pending"]));
  const after = todosOf(
    wrote(2, ["a", "completed"], ["b", "in_progress"], ["c", "pending"], ["d", "pending"]),
  );
  expect(todoChanges(before, after)).toEqual({ a: "done now", b: "begun", d: "added" });
});

it("of a first list nothing is said", () => {
  expect(todoChanges(null, todosOf(wrote(1, ["a", "pending"])))).toEqual({});
});

it("an odd list is read as far as it can be", () => {
  expect(todosOf(call({ arguments: { todos: [7, { content: "a", status: "soon" }] } }))).toEqual([
    { content: "a", status: "pending", priority: "medium" },
  ]);
});
