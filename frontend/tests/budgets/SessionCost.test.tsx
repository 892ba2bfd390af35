import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { SessionCost } from "../../src/budgets/SessionCost";
import { session, snapshot } from "../support/builders";
import { meAs, renderInSession, serve } from "../support/render";
import { page } from "../support/teams";

const LIST = "GET /api/v1/sessions/ses_1/budgets";

afterEach(() => vi.unstubAllGlobals());

async function open(role: string, over: Parameters<typeof session>[0] = {}) {
  const asked = serve({
    "GET /api/v1/me": meAs(role),
    "GET /api/v1/projects": page([{ id: "prj_1", team_id: "tea_1", name: "Tea shop" }]),
    [LIST]: page([]),
    "POST /api/v1/teams/tea_1/budgets": { status: 201, body: {} },
  });
  renderInSession(<SessionCost sessionId="ses_1" />, snapshot({ session: session(over) }));
  await userEvent.click(screen.getByTestId("session-cost"));
  await screen.findByText("No budget limits the work you start here.");
  return asked;
}

describe("the budgets of a session", () => {
  it("are made by admins for this session", async () => {
    const asked = await open("admin");
    await userEvent.click(await screen.findByRole("button", { name: "Add a budget for this session" }));
    expect(screen.queryByLabelText("For")).toBeNull();
    await userEvent.type(screen.getByLabelText("Limit in US dollars"), "5");
    await userEvent.click(screen.getByRole("button", { name: "Add budget" }));
    const made = asked.find((one) => one.method === "POST");
    expect(made?.body).toMatchObject({ scope: "session", target: "ses_1", period: "total", limit: "5" });
  });

  it("are only read by members", async () => {
    await open("member");
    expect(screen.queryByRole("button", { name: "Add a budget for this session" })).toBeNull();
  });

  it("are not made for a sub-agent's session", async () => {
    await open("owner", { parent_id: "ses_0" });
    expect(screen.queryByRole("button", { name: "Add a budget for this session" })).toBeNull();
  });
});
