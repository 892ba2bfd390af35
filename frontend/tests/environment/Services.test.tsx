import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ProjectSetup, WorkspaceServices } from "../../src/api/setup";
import type { Project } from "../../src/api/types";
import { queryClient } from "../../src/app/queries";
import { Services } from "../../src/environment/Services";
import { renderOnPage, serve } from "../support/render";

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

const PROJECT = { id: "prj_1", team_id: "tea_1", name: "Tea shop", remove_at: null } as Project;
const SETUP: ProjectSetup = {
  tag: "*",
  script: "npm ci",
  services: "[redis]",
  changed_by: null,
  changed_at: null,
  network: "packages",
  network_source: "team",
  workspaces: [],
};
const WORKSPACE: WorkspaceServices = {
  workspace_id: "wsp_1",
  workspace_name: "workspace 1",
  source: ".agentsite/services.toml",
  problem: "",
  allowed: true,
  services: [
    { name: "redis", program: "Redis", place: "127.0.0.1:6379", state: "ready", message: "" },
    { name: "postgres", program: "PostgreSQL", place: "", state: "failed", message: "The image has none." },
    { name: "mail", program: "mailpit", place: "", state: "", message: "" },
  ],
};

function show(workspaces: WorkspaceServices[] = [], mayChange = true) {
  const asked = serve({
    "GET /api/v1/projects/prj_1/setup": { body: { ...SETUP, workspaces } },
    "PUT /api/v1/projects/prj_1/setup": { body: { ...SETUP, services: "[redis]\n\n[postgres]\n" } },
  });
  renderOnPage(<Services project={PROJECT} mayChange={mayChange} />);
  return asked;
}

it("adds a service and saves only the services", async () => {
  const asked = show();
  await userEvent.click(await screen.findByRole("button", { name: "Add PostgreSQL" }));
  expect(screen.queryByRole("button", { name: "Add Redis" })).toBeNull();
  const save = screen.getByRole<HTMLButtonElement>("button", { name: "Save services" });
  await userEvent.click(save);
  await waitFor(() => expect(save.disabled).toBe(true));
  const sent = asked.find(({ method }) => method === "PUT")?.body;
  expect(sent).toEqual({ services: "[redis]\n\n[postgres]\n" });
});

it("shows what became of each service in a workspace", async () => {
  show([WORKSPACE]);
  const list = await screen.findByRole("list", { name: "Services of workspace 1" });
  expect(list.textContent).toContain("Redis on 127.0.0.1:6379 from .agentsite/services.toml");
  expect(list.textContent).toContain("Does not run. The image has none.");
  expect(list.textContent).toContain("mailpit: no command needed it yet");
});

it("says that nobody has allowed them, or why they cannot be used", async () => {
  const problem = { ...WORKSPACE, workspace_id: "wsp_2", problem: "It is not valid TOML.", services: [] };
  show([{ ...WORKSPACE, allowed: false }, problem], false);
  expect(await screen.findByText(/Nobody has allowed the services from .agentsite/)).toBeDefined();
  expect(screen.getByText(/cannot be used. It is not valid TOML/)).toBeDefined();
  expect(screen.queryByRole("button", { name: "Save services" })).toBeNull();
});
