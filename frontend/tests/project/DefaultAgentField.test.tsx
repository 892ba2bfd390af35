import { screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { DefaultAgentField } from "../../src/project/DefaultAgentField";
import { renderOnPage, serve } from "../support/render";

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

const agents = (...names: string[]) => ({
  body: {
    items: names.map((name) => ({ name, selectable: name !== "title" })),
    default: "build",
    models: [],
    problems: [],
    can_edit: true,
  },
});

const show = (value: string) =>
  renderOnPage(<DefaultAgentField projectId="prj_1" value={value} disabled={false} onChange={() => {}} />);

it("offers the agents that a person can choose", async () => {
  serve({ "GET /api/v1/projects/prj_1/agents": agents("build", "plan", "title") });
  show("plan");
  await screen.findByRole("option", { name: "build" });
  expect(screen.getAllByRole("option").map((option) => option.textContent)).toEqual(["build", "plan"]);
});

it("keeps one that is gone, and says who works instead", async () => {
  serve({ "GET /api/v1/projects/prj_1/agents": agents("build") });
  show("reviewer");
  expect(await screen.findByText(/New sessions start with build instead/)).toBeDefined();
  expect(screen.getByRole<HTMLSelectElement>("combobox").value).toBe("reviewer");
});
