import { cleanup, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { WorkspacesPage } from "../../src/workspaces/WorkspacesPage";
import { failure, meAs, renderOnPage, serve } from "../support/render";
import { workspace } from "../support/workspaces";

const LIST = "GET /api/v1/workspaces";
const page = (...items: ReturnType<typeof workspace>[]) => ({ body: { items, next_cursor: null } });
const STOPPED = workspace({ id: "wsp_2", name: "trial", state: "stopped", may: ["start", "remove"] });
const PROJECTS = { body: { items: [{ id: "prj_1", name: "Tea shop" }], next_cursor: null } };

function open(more: Parameters<typeof serve>[0]) {
  const asked = serve({ "GET /api/v1/me": meAs("owner"), "GET /api/v1/projects": PROJECTS, ...more });
  renderOnPage(<WorkspacesPage />);
  return asked;
}

beforeEach(() => window.history.replaceState(null, "", "/workspaces"));
afterEach(() => {
  cleanup(); // nothing asks for more once the answers are gone
  vi.unstubAllGlobals();
  queryClient.clear();
});

it("each workspace says its project, state, use and sessions, and leads to its page", async () => {
  open({ [LIST]: page(workspace(), STOPPED) });
  const rows = await screen.findAllByTestId("workspace");
  expect(rows[0]?.textContent).toMatch(/mainTea shopRunningrunc.*256 MiB of 1 GiB.*100 MiB of 4 GiB/);
  expect(
    within(rows[1] as HTMLElement)
      .getByRole("link", { name: "trial" })
      .getAttribute("href"),
  ).toBe("/workspaces/wsp_2");
});

it("the filter stands in the address and in the question", async () => {
  const asked = open({ [LIST]: page(STOPPED) });
  await userEvent.selectOptions(await screen.findByLabelText("State"), "stopped");
  await waitFor(() => expect(asked.some((item) => item.query.includes("state=stopped"))).toBe(true));
  expect(window.location.search).toBe("?state=stopped");
});

it("nothing found with a filter offers to take it off", async () => {
  window.history.replaceState(null, "", "/workspaces?state=failed");
  open({ [LIST]: page() });
  await userEvent.click(await screen.findByRole("button", { name: "Show all" }));
  expect(window.location.search).toBe("");
  await screen.findByText(/No workspaces yet/);
});

it("a list that cannot be read says so and can be asked for again", async () => {
  open({ [LIST]: failure(403, "no", "You may not see this.") });
  await screen.findByText("You may not see this.");
  expect(screen.getByRole("button", { name: "Try again" })).toBeDefined();
});

it("a row starts its workspace in place", async () => {
  const running = { ...STOPPED, state: "running" as const, may: ["stop" as const] };
  let listed = STOPPED;
  const asked = open({
    [LIST]: () => page(listed),
    "POST /api/v1/workspaces/wsp_2/start": () => {
      listed = running;
      return { status: 202, body: { ...STOPPED, state: "starting" } };
    },
    "GET /api/v1/workspaces/wsp_2": { body: running },
  });
  await userEvent.click(await screen.findByRole("button", { name: "Start trial" }));
  await screen.findByRole("button", { name: "Stop trial" });
  expect(asked.filter((item) => item.method === "POST")).toHaveLength(1);
});
