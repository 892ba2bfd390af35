import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { MyVariables, ProjectVariables, TeamVariables } from "../../src/environment/Variables";
import { failure, renderOnPage, serve } from "../support/render";
import { page } from "../support/teams";

const VARIABLE = {
  id: "var_1",
  level: "team",
  name: "DATABASE_URL",
  value: "postgres://localhost/app",
  version: 3,
  secret: false,
  used_for: "requests",
  hosts: [],
  added_as: null,
  added_name: "",
  changed_at: "2026-01-01T00:00:00Z",
  changed_by: null,
  last_used_at: null,
};
const TEAM = { id: "tea_1", role: "admin" } as Parameters<typeof TeamVariables>[0]["team"];
const PROJECT = { id: "prj_1", team_id: "tea_1" } as Parameters<typeof ProjectVariables>[0]["project"];
const LIST = "GET /api/v1/teams/tea_1/variables";

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

it("adds a variable by keyboard", async () => {
  const asked = serve({
    "GET /api/v1/me/variables": page([]),
    "POST /api/v1/me/variables": { body: VARIABLE },
  });
  renderOnPage(<MyVariables me={{} as Parameters<typeof MyVariables>[0]["me"]} />);
  await userEvent.type(screen.getByLabelText("Name"), "GREETING");
  await userEvent.tab();
  await userEvent.keyboard("two words");
  await userEvent.tab();
  await userEvent.keyboard("{Enter}");
  await waitFor(() => expect(asked.some((one) => one.method === "POST")).toBe(true));
  expect(asked.find((one) => one.method === "POST")?.body).toEqual({
    name: "GREETING",
    value: "two words",
  });
  await waitFor(() => expect(screen.getByLabelText("Name")).toHaveProperty("value", ""));
});

it("sends a change with the version that was read", async () => {
  const asked = serve({ [LIST]: page([VARIABLE]), "PATCH /api/v1/variables/var_1": { body: VARIABLE } });
  renderOnPage(<TeamVariables team={TEAM} />);
  await userEvent.click(await screen.findByRole("button", { name: /^DATABASE_URL/ }));
  const form = within(screen.getByRole("form", { name: "Change DATABASE_URL" }));
  await userEvent.clear(form.getByLabelText("Value"));
  await userEvent.type(form.getByLabelText("Value"), "sqlite:");
  await userEvent.click(form.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(asked.some((one) => one.method === "PATCH")).toBe(true));
  expect(asked.find((one) => one.method === "PATCH")?.body).toEqual({
    name: "DATABASE_URL",
    value: "sqlite:",
    base_version: 3,
  });
});

it("shows why a name is refused", async () => {
  serve({
    [LIST]: page([]),
    "POST /api/v1/teams/tea_1/variables": failure(400, "bad_input", "A variable cannot be called 'PATH'."),
  });
  renderOnPage(<TeamVariables team={TEAM} />);
  await userEvent.type(screen.getByLabelText("Name"), "PATH");
  await userEvent.click(screen.getByRole("button", { name: "Add variable" }));
  await screen.findByText("A variable cannot be called 'PATH'.");
});

it("shows members what they cannot change", async () => {
  serve({
    "GET /api/v1/projects/prj_1/variables": page([]),
    [LIST]: page([{ ...VARIABLE, last_used_at: new Date().toISOString() }]),
  });
  renderOnPage(<ProjectVariables project={PROJECT} mayChange={false} />);
  await userEvent.click(await screen.findByRole("button", { name: /^DATABASE_URL/ }));
  expect(screen.queryByRole("form")).toBeNull();
  expect(screen.getByText(/^Used/)).toBeTruthy();
});

it("never shows a secret, and keeps it when only its name changes", async () => {
  const secret = { ...VARIABLE, name: "NPM_TOKEN", value: "", secret: true, used_for: "setup" };
  const asked = serve({ [LIST]: page([secret]), "PATCH /api/v1/variables/var_1": { body: secret } });
  renderOnPage(<TeamVariables team={TEAM} />);
  await userEvent.click(await screen.findByRole("button", { name: /^NPM_TOKEN\s*Secret/ }));
  const form = within(screen.getByRole("form", { name: "Change NPM_TOKEN" }));
  expect(form.getByLabelText("New value")).toHaveProperty("value", "");
  expect(form.queryByRole("checkbox")).toBeNull();
  await userEvent.type(form.getByLabelText("Name"), "_2");
  await userEvent.click(form.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(asked.some((one) => one.method === "PATCH")).toBe(true));
  expect(asked.find((one) => one.method === "PATCH")?.body).toEqual({
    name: "NPM_TOKEN_2",
    base_version: 3,
    used_for: "setup",
  });
});

it("makes a secret of a team, and offers none for a person", async () => {
  const asked = serve({
    [LIST]: page([]),
    "POST /api/v1/teams/tea_1/variables": { body: VARIABLE },
    "GET /api/v1/me/variables": page([]),
  });
  const { unmount } = renderOnPage(<TeamVariables team={TEAM} />);
  await userEvent.type(screen.getByLabelText("Name"), "NPM_TOKEN");
  await userEvent.type(screen.getByLabelText("Value"), "npm_0123456789");
  await userEvent.click(screen.getByRole("checkbox", { name: /^Secret/ }));
  await userEvent.selectOptions(screen.getByLabelText("Who gets it"), "For set-up only");
  await userEvent.click(screen.getByRole("button", { name: "Add variable" }));
  await waitFor(() => expect(asked.some((one) => one.method === "POST")).toBe(true));
  expect(asked.find((one) => one.method === "POST")?.body).toEqual({
    name: "NPM_TOKEN",
    value: "npm_0123456789",
    secret: true,
    used_for: "setup",
  });
  unmount();
  renderOnPage(<MyVariables me={{} as Parameters<typeof MyVariables>[0]["me"]} />);
  expect(screen.queryByRole("checkbox")).toBeNull();
});
