import { describe, expect, it } from "vitest";
import type { Me, Project } from "../../src/api/types";
import { isSettingsAddress } from "../../src/settings/addresses";
import { type Level, pagesOf, pathAt } from "../../src/settings/nav";

const team = (role: Me["teams"][number]["role"]): Level => ({
  kind: "team",
  team: { id: "tea_1", slug: "t", name: "Team", role, may_approve: true, remove_at: null },
});
const project: Level = {
  kind: "project",
  project: { id: "prj_1", team_id: "tea_1", name: "Tea shop" } as Project,
  role: "member",
};

describe("the settings area", () => {
  it("has every page once, at its old address, in the order of the groups", () => {
    const pages = pagesOf(team("owner"));
    expect(new Set(pages.map(({ name }) => name)).size).toBe(pages.length);
    expect(pages[0]).toMatchObject({ name: "members", href: "/teams/tea_1/members", group: "people" });
    expect(pages.map(({ group }) => group)).toEqual(
      [...pages.map(({ group }) => group)].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)),
    );
    for (const { href } of [...pages, ...pagesOf(project), ...pagesOf({ kind: "account" })])
      expect(isSettingsAddress(href.split("?")[0] ?? ""), href).toBe(true);
  });

  it("shows admins' pages to admins alone", () => {
    const names = pagesOf(team("viewer")).map(({ name }) => name);
    expect(names).toContain("members");
    expect(names).not.toContain("audit");
  });

  it("stays on the same page when the level changes, where there is one", () => {
    expect(pathAt(project, "policy")).toBe("/policies/prj_1");
    expect(pathAt(project, "mcp")).toBe("/projects/prj_1/settings/mcp");
    expect(pathAt(project, "audit")).toBe("/projects/prj_1/settings/general");
  });
});

const ORDER = ["people", "agents", "code", "records"];
