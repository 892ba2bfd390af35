import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { ServiceAccounts } from "../../src/tokens/ServiceAccounts";
import { Webhooks } from "../../src/webhooks/Webhooks";
import { meAs, renderOnPage, serve } from "../support/render";
import { page, team } from "../support/teams";

const HOOK = {
  id: "whk_1",
  team_id: "tea_1",
  project_id: null,
  name: "Chat",
  url: "https://chat.example.org/hook",
  events: ["turn.ended"],
  enabled: true,
  disabled_why: "",
  failing_since: null,
  created_at: "2026-01-01T00:00:00Z",
};
const EVENTS = page([
  { type: "turn.ended", meaning: "A turn ended" },
  { type: "permission.asked", meaning: "A permission is asked" },
]);
const ACCOUNT = {
  id: "usr_9",
  team_id: "tea_1",
  name: "Nightly",
  role: "member",
  may_approve: false,
  tokens: 0,
};

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

describe("a webhook", () => {
  it("is changed: its address and what it is told", async () => {
    const asked = serve({
      "GET /api/v1/me": meAs("admin"),
      "GET /api/v1/webhook-events": EVENTS,
      "GET /api/v1/teams/tea_1/webhooks": page([HOOK]),
      "PATCH /api/v1/webhooks/whk_1": { body: HOOK },
    });
    renderOnPage(<Webhooks team={team({ role: "admin" })} />);
    await userEvent.click(await screen.findByRole("button", { name: /^Chat/ }));
    await userEvent.click(screen.getByRole("button", { name: "Change" }));
    const form = within(await screen.findByRole("form", { name: "Change Chat" }));
    await userEvent.clear(form.getByLabelText("Address"));
    await userEvent.type(form.getByLabelText("Address"), "https://new.example.org/");
    await userEvent.click(form.getByLabelText(/^A permission is asked/));
    await userEvent.click(form.getByRole("button", { name: "Save" }));
    await waitFor(() =>
      expect(asked.find((one) => one.method === "PATCH")?.body).toEqual({
        name: "Chat",
        url: "https://new.example.org/",
        events: ["turn.ended", "permission.asked"],
      }),
    );
  });
});

describe("a service account", () => {
  it("decides requests where one says so, when it is made and later", async () => {
    const asked = serve({
      "GET /api/v1/me": meAs("admin"),
      "GET /api/v1/teams/tea_1/service-accounts": page([ACCOUNT]),
      "POST /api/v1/teams/tea_1/service-accounts": { status: 201, body: ACCOUNT },
      "PATCH /api/v1/service-accounts/usr_9": { body: ACCOUNT },
    });
    renderOnPage(<ServiceAccounts team={team({ role: "admin" })} />);
    const form = within(screen.getByRole("form", { name: "New service account" }));
    await userEvent.type(form.getByLabelText("Name"), "Nightly");
    await userEvent.click(form.getByLabelText("Decides requests"));
    await userEvent.click(form.getByRole("button", { name: "Add" }));
    const row = within(await screen.findByTestId("service-account"));
    await userEvent.click(row.getByLabelText("Decides requests"));
    await waitFor(() => expect(asked.some((one) => one.method === "PATCH")).toBe(true));
    const sent = asked.filter((one) => one.method !== "GET").map((one) => one.body);
    expect(sent).toEqual([{ name: "Nightly", role: "member", may_approve: true }, { may_approve: true }]);
  });
});
