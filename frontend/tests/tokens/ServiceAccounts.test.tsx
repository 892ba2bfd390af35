import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { ServiceAccounts } from "../../src/tokens/ServiceAccounts";
import { meAs, renderOnPage, serve } from "../support/render";
import { page, team } from "../support/teams";

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
    await userEvent.click(form.getByLabelText("Can decide requests"));
    await userEvent.click(form.getByRole("button", { name: "Add" }));
    const row = within(await screen.findByTestId("service-account"));
    await userEvent.click(row.getByLabelText("Can decide requests"));
    await waitFor(() => expect(asked.some((one) => one.method === "PATCH")).toBe(true));
    const sent = asked.filter((one) => one.method !== "GET").map((one) => one.body);
    expect(sent).toEqual([{ name: "Nightly", role: "member", may_approve: true }, { may_approve: true }]);
  });
});
