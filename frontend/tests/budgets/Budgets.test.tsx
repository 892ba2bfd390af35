import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Budget } from "../../src/api/budgets";
import { queryClient } from "../../src/app/queries";
import { formatDollars, usageLevel, usedShare } from "../../src/budgets/labels";
import { TeamBudgets } from "../../src/budgets/TeamBudgets";
import { failure, meAs, renderOnPage, serve } from "../support/render";
import { page, team } from "../support/teams";

const LIST = "GET /api/v1/teams/tea_1/budgets";

const budget = (over: Partial<Budget> = {}): Budget => ({
  id: "bud_1",
  team_id: "tea_1",
  team_name: "Tea",
  scope: "team",
  target: "tea_1",
  target_name: "Tea",
  period: "month",
  limit: "10.000000",
  currency: "USD",
  hard: true,
  unknown_prices: "refuse",
  assumed_input: null,
  assumed_output: null,
  max_output: null,
  spent: "8.500000",
  reserved: "0.000000",
  left: "1.500000",
  unpriced_calls: 0,
  window_start: "2026-11-01T00:00:00Z",
  window_end: "2026-12-01T00:00:00Z",
  version: 3,
  changed_by: null,
  changed_at: "2026-11-01T00:00:00Z",
  can_edit: true,
  ...over,
});

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

describe("money", () => {
  it.each([
    ["10.000000", "$10.00"],
    ["0.001400", "$0.0014"],
    ["1234567.500000", "$1,234,567.50"],
  ])("reads %s as %s", (text, shown) => expect(formatDollars(text)).toBe(shown));

  it("is nearly used up from 80 per cent on, and used up with what calls hold", () => {
    expect(usageLevel(budget())).toBe("high");
    expect(usageLevel(budget({ reserved: "1.500000" }))).toBe("full");
    expect(usageLevel(budget({ spent: "7.900000" }))).toBe("");
    expect(usedShare(budget({ limit: "0.000000", spent: "0.000000" }))).toBe(1);
  });
});

describe("the budgets of a team", () => {
  it("say how much of them is used, in words too", async () => {
    serve({ "GET /api/v1/me": meAs("owner"), [LIST]: page([budget()]) });
    renderOnPage(<TeamBudgets team={team()} />);
    const meter = await screen.findByRole("meter");
    expect(meter.getAttribute("aria-valuetext")).toBe("$8.50 of $10.00 a month, almost used up");
    expect(screen.getByText(/\$1\.50 left/)).toBeTruthy();
  });

  it("are raised on top of the version that was looked at", async () => {
    const asked = serve({
      "GET /api/v1/me": meAs("owner"),
      [LIST]: page([budget()]),
      "PATCH /api/v1/budgets/bud_1": { body: budget({ limit: "20.000000" }) },
    });
    renderOnPage(<TeamBudgets team={team()} />);
    await userEvent.click(await screen.findByRole("button", { name: "Change" }));
    const limit = screen.getByLabelText("Limit in US dollars");
    expect((limit as HTMLInputElement).value).toBe("10");
    await userEvent.clear(limit);
    await userEvent.type(limit, "20");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() =>
      expect(asked.find((item) => item.method === "PATCH")?.body).toMatchObject({
        limit: "20",
        base_version: 3,
      }),
    );
  });

  it("are only read by members", async () => {
    serve({ "GET /api/v1/me": meAs("member"), [LIST]: page([budget({ can_edit: false })]) });
    renderOnPage(<TeamBudgets team={team({ role: "member" })} />);
    await screen.findByRole("meter");
    expect(screen.queryAllByRole("button")).toEqual([]);
  });

  it("may be none, or not be there", async () => {
    serve({ "GET /api/v1/me": meAs("owner"), [LIST]: page([]) });
    renderOnPage(<TeamBudgets team={team()} />);
    expect(await screen.findByText("No budgets yet.")).toBeTruthy();
  });

  it("say what went wrong", async () => {
    serve({ "GET /api/v1/me": meAs("owner"), [LIST]: failure(404, "not_found", "There is no such team.") });
    renderOnPage(<TeamBudgets team={team()} />);
    expect(await screen.findByRole("alert")).toBeTruthy();
  });
});
