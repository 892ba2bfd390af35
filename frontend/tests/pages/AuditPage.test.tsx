import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { AuditTab } from "../../src/pages/AuditPage";
import { actionLabel, entryLabel } from "../../src/pages/auditLabels";
import { at } from "../support/builders";
import { failure, meAs, renderApart, serve } from "../support/render";

const ENTRY = {
  id: "aud_1",
  seq: 7,
  at: at(0),
  actor: "usr_2",
  actor_name: "Dana",
  action: "policy.saved",
  subject: "pol_1",
  data: { reason: "No pushes", version: 2, diff: "@@ -0,0 +1 @@\n+ask bash git push *\n" },
  digest: "abc",
};
const TEAM = {
  id: "tea_1",
  slug: "t",
  name: "Team",
  role: "owner",
  may_approve: true,
  remove_at: null,
} as const;
const TARGET = `usr_${"0".repeat(32)}`;
const LIST = "GET /api/v1/teams/tea_1/audit";
const VERIFY = "POST /api/v1/teams/tea_1/audit/verify";

const open = (more: Parameters<typeof serve>[0]) => {
  const asked = serve({
    "GET /api/v1/me": meAs("owner"),
    [LIST]: { body: { items: [ENTRY], next_cursor: null } },
    ...more,
  });
  renderApart(<AuditTab team={TEAM} />);
  return asked;
};

afterEach(() => vi.unstubAllGlobals());

describe("the audit log", () => {
  it("says who did what, and opens to everything that is recorded", async () => {
    open({});
    await userEvent.click(await screen.findByRole("button", { name: /Policy saved No pushes Dana/ }));
    expect(screen.getByText("7, policy.saved, digest abc")).toBeDefined();
    expect(screen.getByRole("link", { name: "A policy" }).title).toBe("pol_1");
    expect(screen.getByText("ask bash git push *")).toBeDefined();
  });

  it("says what was decided", () => {
    expect(entryLabel("call.decided", { action: "deny" })).toBe("Tool call decided: denied");
    expect(entryLabel("request.answered", { reply: "once" })).toBe(
      "Permission request answered: allowed once",
    );
    expect(entryLabel("request.answered", { reply: "new" })).toBe("Permission request answered: new");
    expect(entryLabel("call.decided", {})).toBe("Tool call decided");
    expect(entryLabel("policy.saved", { action: "x" })).toBe("Policy saved");
  });

  it("asks for one kind of action when it is told one", async () => {
    const asked = open({});
    await userEvent.selectOptions(await screen.findByLabelText("Action"), "grant");
    await waitFor(() => expect(asked.some((item) => item.query.includes("action=grant"))).toBe(true));
  });

  it("shows names in place of ids, and narrows to one of them, in the export too", async () => {
    const entry = {
      ...ENTRY,
      action: "workspace.stop",
      subject: "wsp_1",
      project: "prj_1",
      data: { session: "ses_1", target: TARGET },
    };
    const asked = open({
      [LIST]: { body: { items: [entry], next_cursor: null } },
      "GET /api/v1/projects": { body: { items: [{ id: "prj_1", team_id: "tea_1", name: "Tea shop" }] } },
    });
    await userEvent.click(await screen.findByRole("button", { name: /Workspace stop/ }));
    const project = await screen.findByRole("link", { name: "Tea shop" });
    expect([project.title, project.getAttribute("href")]).toEqual(["prj_1", "/projects/prj_1"]);
    expect(screen.getByRole("link", { name: "The session" }).getAttribute("href")).toBe("/sessions/ses_1");
    expect(screen.getByText("A person").title).toBe(TARGET);
    expect(screen.queryByText(/^(ses|usr)_/)).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Filter by this: Dana" }));
    await waitFor(() => expect(asked.some((item) => item.query.includes("actor=usr_2"))).toBe(true));
    expect(screen.getByRole("link", { name: "Export CSV" }).getAttribute("href")).toContain("actor=usr_2");
    await userEvent.click(screen.getByRole("button", { name: "Clear filters" }));
    expect(screen.getByRole("link", { name: "Export CSV" }).getAttribute("href")).not.toContain("actor=");
  });

  it("says that it could not be read, and tries again", async () => {
    let works = false;
    open({
      [LIST]: () =>
        works
          ? { body: { items: [ENTRY], next_cursor: null } }
          : failure(503, "away", "The database is away."),
    });
    const again = await screen.findByRole("button", { name: "Try again" });
    works = true;
    await userEvent.click(again);
    await screen.findByRole("button", { name: /Policy saved/ });
  });

  it("says that the chain is intact, and shows its head", async () => {
    open({ [VERIFY]: { body: { entries: 7, head: "0123456789abcdef99", faults: [] } } });
    await userEvent.click(await screen.findByRole("button", { name: "Verify the chain" }));
    await waitFor(() =>
      expect(screen.getByTestId("verified").textContent).toContain("7 entries, the chain is intact"),
    );
    expect(screen.getByText("0123456789abcdef")).toBeDefined();
  });

  it("says where the chain is broken", async () => {
    open({
      [VERIFY]: { body: { entries: 7, head: "", faults: [{ seq: 3, problem: "the entry was changed" }] } },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Verify the chain" }));
    await screen.findByText("Entry 3: the entry was changed");
  });

  it("names actions in words, also those that it does not know", () => {
    expect(actionLabel("policy.rolled_back")).toBe("Policy rolled back");
    expect(actionLabel("budget.raised_to_max")).toBe("Budget raised to max");
  });
});
