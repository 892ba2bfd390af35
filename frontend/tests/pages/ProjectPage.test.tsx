import { screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { ProjectPage } from "../../src/pages/ProjectPage";
import { meAs, renderOnPage, serve } from "../support/render";

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

const project = (remove_at: string | null) => ({
  body: { id: "prj_1", team_id: "tea_1", name: "Tea shop", description: "", suggested_prompt: "", remove_at },
});

it("offers to start a session", async () => {
  serve({ "GET /api/v1/me": meAs("member"), "GET /api/v1/projects/prj_1": project(null) });
  renderOnPage(<ProjectPage projectId="prj_1" />);
  expect(await screen.findByRole("button", { name: "Empty session" })).toBeDefined();
});

it("offers nothing new while it is being deleted, and says so", async () => {
  serve({ "GET /api/v1/me": meAs("owner"), "GET /api/v1/projects/prj_1": project("2026-03-08T00:00:00Z") });
  renderOnPage(<ProjectPage projectId="prj_1" />);
  expect(await screen.findByText(/This project is being deleted/)).toBeDefined();
  expect(screen.queryByRole("button", { name: "Empty session" })).toBeNull();
});
