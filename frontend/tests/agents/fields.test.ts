import { describe, expect, it } from "vitest";
import { fieldState, groupsOf, missing, originText, withChange } from "../../src/agents/fields";
import { agent, agentRow, subAgent } from "../support/agents";

const source = (origin: "team" | "project" | "file", fields: string[], over = {}) => ({
  origin,
  id: origin === "project" ? "agt_1" : "",
  path: "",
  fields,
  ...over,
});

describe("a field", () => {
  const build = agent("build", {
    temperature: 0.5,
    sources: [
      { origin: "built-in", id: "", path: "", fields: [] },
      source("team", ["temperature"]),
      source("project", ["prompt"]),
    ],
  });

  it("that is not said here shows what is inherited, and from whom", () => {
    expect(fieldState(build, agentRow({ document: { prompt: "x" } }), {}, "temperature")).toMatchObject({
      value: 0.5,
      isOwn: false,
      from: { origin: "team" },
    });
  });

  it("that is said here shows that, and what it hides", () => {
    expect(fieldState(build, agentRow({ document: { prompt: "x" } }), {}, "prompt")).toMatchObject({
      value: "x",
      isOwn: true,
      from: { origin: "built-in" },
    });
  });

  it("that is taken back is empty until it is saved", () => {
    expect(
      fieldState(build, agentRow({ document: { prompt: "x" } }), { prompt: null }, "prompt"),
    ).toMatchObject({
      value: null,
      isOwn: false,
      isChanged: true,
    });
  });
});

it("a change back to what is saved is no change", () => {
  const row = agentRow({ document: { steps: 7 } });
  const once = withChange(row, {}, "steps", 8);
  expect(once).toEqual({ steps: 8 });
  expect(withChange(row, once, "steps", 7)).toEqual({});
  expect(withChange(null, {}, "steps", null)).toEqual({});
});

it("a rule without a pattern and an agent without a name cannot be saved", () => {
  expect(missing(" ", {})).toBe("An agent needs a name.");
  expect(missing("a", { permission: [{ permission: "bash", pattern: "", action: "ask" }] })).toBe(
    "Rule 1 needs a permission and a pattern.",
  );
  expect(missing("a", {})).toBe("");
});

it("where an agent comes from is said in short", () => {
  expect(originText(agent("build"))).toBe("Built in");
  expect(originText(agent("build", { sources: [...agent("b").sources, source("team", ["prompt"])] }))).toBe(
    "Built in, changed by the team",
  );
  const path = ".opencode/agent/review.md";
  expect(originText(agent("review", { sources: [source("file", ["prompt"], { path })] }))).toBe(
    `From ${path}`,
  );
});

it("agents stand where a person looks for them", () => {
  const groups = groupsOf([
    agent("build"),
    subAgent("explore"),
    agent("title", { hidden: true, selectable: false }),
    agent("old", { disabled: true, selectable: false }),
  ]);
  expect(groups.map((group) => [group.title, group.agents.map((item) => item.name)])).toEqual([
    ["Main agents", ["build"]],
    ["Sub-agents", ["explore"]],
    ["Background agents", ["title"]],
    ["Disabled", ["old"]],
  ]);
});
