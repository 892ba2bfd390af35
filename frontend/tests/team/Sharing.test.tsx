import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { PrivateSession, ShareLink } from "../../src/api/together";
import { queryClient } from "../../src/app/queries";
import { TEAM_TABS } from "../../src/team/tabs";
import { TeamSharing } from "../../src/together/TeamSharing";
import { at } from "../support/builders";
import { failure, renderOnPage, serve } from "../support/render";
import { page, team } from "../support/teams";

const LINKS = "GET /api/v1/teams/tea_1/share-links";
const PRIVATE = "GET /api/v1/teams/tea_1/private-sessions";
const DANA = { id: "usr_2", email: "dana@example.org", name: "Dana" };

const link = (over: Partial<ShareLink> = {}): ShareLink => ({
  id: "shl_1",
  session_id: "ses_1",
  session_title: "Tea",
  project_id: "prj_1",
  reach: "public",
  show_names: false,
  created_by: DANA,
  created_at: at(0),
  expires_at: null,
  revoked_at: null,
  ...over,
});

const closed = (over: Partial<PrivateSession> = {}): PrivateSession => ({
  id: "ses_7",
  project_id: "prj_1",
  status: "running",
  cost: 1.25,
  unpriced_calls: 0,
  created_by: DANA,
  created_at: at(0),
  updated_at: at(5),
  ...over,
});

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

describe("the sharing of a team", () => {
  it("is a tab for those who run it", () => {
    const tab = TEAM_TABS.find((item) => item.name === "sharing");
    expect(["owner", "admin", "member", "viewer"].map((role) => tab?.isFor(role as "owner"))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it("lists links, and revokes one after asking", async () => {
    let links = [
      link(),
      link({ id: "shl_2", session_id: "ses_2", session_title: "", reach: "team", revoked_at: at(3) }),
    ];
    const asked = serve({
      [LINKS]: () => page(links),
      "DELETE /api/v1/share-links/shl_1": () => {
        links = links.map((item) => ({ ...item, revoked_at: at(4) }));
        return { status: 204 };
      },
    });
    renderOnPage(<TeamSharing team={team()} />);
    const [alive, ended] = (await screen.findAllByTestId("team-link")).map((row) => within(row));
    expect(alive?.getByRole("link", { name: "Tea" }).getAttribute("href")).toBe("/sessions/ses_1");
    expect(alive?.getByText("Anybody with the link")).toBeTruthy();
    expect(ended?.getByText("ses_2")).toBeTruthy();
    expect(ended?.getByText("Revoked")).toBeTruthy();
    expect(ended?.queryByRole("button")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Revoke…" }));
    expect(asked.some((item) => item.method === "DELETE")).toBe(false);
    await userEvent.click(screen.getByRole("button", { name: /the link stops working/ }));
    await waitFor(() => expect(screen.getAllByText("Revoked")).toHaveLength(2));
  });

  it("says that there is nothing, and what went wrong", async () => {
    serve({ [LINKS]: failure(503, "unavailable", "Not now.", "Try again."), [PRIVATE]: page([]) });
    queryClient.setDefaultOptions({ queries: { ...queryClient.getDefaultOptions().queries, retry: false } });
    renderOnPage(<TeamSharing team={team()} />);
    expect(await screen.findByText("No private sessions.")).toBeTruthy();
    expect(await screen.findByText("Not now.")).toBeTruthy();
  });
});

describe("the private sessions of a team", () => {
  it("tell whose they are, their state, times and cost, and are stopped", async () => {
    let row = closed();
    const asked = serve({
      "GET /api/v1/projects": page([{ id: "prj_1", team_id: "tea_1", name: "Shop" }]),
      [PRIVATE]: () => page([row]),
      "POST /api/v1/teams/tea_1/private-sessions/ses_7/abort": () => {
        row = closed({ status: "idle" });
        return { status: 202, body: row };
      },
    });
    renderOnPage(<TeamSharing team={team()} />);
    const shown = within(await screen.findByTestId("private-session"));
    expect(shown.getByText("Dana")).toBeTruthy();
    expect(shown.getByText("ses_7")).toBeTruthy();
    expect(shown.getByRole("img", { name: "Running" })).toBeTruthy();
    expect(shown.getByText(/\$1\.25/)).toBeTruthy();
    expect(shown.queryByRole("link")).toBeNull();
    await userEvent.click(shown.getByRole("button", { name: "Stop" }));
    expect(asked.some((item) => item.method === "POST")).toBe(true);
    await waitFor(() => expect(shown.queryByRole("button", { name: "Stop" })).toBeNull());
  });

  it("are deleted after it was said what is lost, and a refusal is shown", async () => {
    let tries = 0;
    let rows = [closed({ status: "idle" })];
    serve({
      [PRIVATE]: () => page(rows),
      "DELETE /api/v1/teams/tea_1/private-sessions/ses_7": () => {
        tries += 1;
        if (tries === 1) return failure(409, "stale", "This session is still at work.", "Stop it first.");
        rows = [];
        return { status: 204 };
      },
    });
    renderOnPage(<TeamSharing team={team()} />);
    const remove = async () => {
      await userEvent.click(await screen.findByRole("button", { name: "Delete…" }));
      expect(screen.getByText(/The whole conversation/)).toBeTruthy();
      await userEvent.click(screen.getByRole("button", { name: "Delete session", hidden: true }));
    };
    await remove();
    expect(await screen.findByText("This session is still at work.")).toBeTruthy();
    await remove();
    expect(await screen.findByText("No private sessions.")).toBeTruthy();
  });
});

describe("operators who read", () => {
  const PATH = "GET /api/v1/teams/tea_1/operator-accesses";
  const access = {
    id: "opa_1",
    team_id: "tea_1",
    session_id: "ses_1",
    operator: { id: "usr_9", email: "olga@example.org", name: "Olga" },
    reason: "The session does not end",
    alive: true,
    created_at: at(0),
    expires_at: at(60),
    revoked_at: null,
    readings: 2,
    last_read_at: at(1),
  };

  it("are named with their reason, and an admin ends what they may", async () => {
    let rows = [access];
    const asked = serve({
      [PATH]: () => page(rows),
      "DELETE /api/v1/operator-accesses/opa_1": { status: 204 },
    });
    renderOnPage(<TeamSharing team={team()} />);
    const row = await screen.findByTestId("operator-access");
    expect(row.textContent).toContain("Olga");
    expect(row.textContent).toContain("The session does not end");
    expect(row.textContent).toContain("read 2 times");
    rows = [{ ...access, alive: false }];
    await userEvent.click(within(row).getByRole("button", { name: "End access now" }));
    await waitFor(() => expect(screen.queryByRole("button", { name: "End access now" })).toBeNull());
    expect(asked.some((item) => item.method === "DELETE")).toBe(true);
  });
});
