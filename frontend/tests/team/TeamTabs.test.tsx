import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { DeletionSection } from "../../src/team/DeletionSection";
import { Invitations } from "../../src/team/Invitations";
import { Members } from "../../src/team/Members";
import { TeamPage } from "../../src/team/TeamPage";
import { failure, meAs, renderOnPage, serve } from "../support/render";
import { invitation, member, page, team } from "../support/teams";

const MEMBERS = "GET /api/v1/teams/tea_1/members";
const INVITATIONS = "GET /api/v1/teams/tea_1/invitations";

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

describe("the members of a team", () => {
  const own = member({
    id: "mem_1",
    role: "owner",
    user: { id: "usr_1", email: "a@example.org", name: "A" },
  });

  it("are changed by those who run it", async () => {
    const asked = serve({
      "GET /api/v1/me": meAs("owner"),
      [MEMBERS]: page([own, member()]),
      "PATCH /api/v1/members/mem_2": { body: member({ role: "viewer" }) },
    });
    renderOnPage(<Members team={team()} />);
    await userEvent.selectOptions(await screen.findByLabelText("Role of Mika"), "viewer");
    await waitFor(() =>
      expect(asked.find((item) => item.method === "PATCH")?.body).toEqual({
        role: "viewer",
        may_approve: null,
      }),
    );
  });

  it("are only read by the others, who may leave", async () => {
    serve({ "GET /api/v1/me": meAs("viewer"), [MEMBERS]: page([own, member()]) });
    renderOnPage(<Members team={team({ role: "viewer" })} />);
    await screen.findByText("Mika");
    expect(screen.queryByLabelText("Role of Mika")).toBeNull();
    await waitFor(() =>
      expect(screen.getAllByRole("button").map((item) => item.textContent)).toEqual(["Leave…"]),
    );
  });

  it("keep owners from admins", async () => {
    serve({
      "GET /api/v1/me": meAs("admin"),
      [MEMBERS]: page([
        member({ role: "owner", user: { id: "usr_3", email: "o@example.org", name: "Olga" } }),
      ]),
    });
    renderOnPage(<Members team={team({ role: "admin" })} />);
    await screen.findByText("Olga");
    expect(screen.queryByLabelText("Role of Olga")).toBeNull();
    expect(screen.queryByRole("button", { name: "Remove…" })).toBeNull();
  });

  it("give no address of a program, but lead its admins to its tokens", async () => {
    const program = member({
      is_service: true,
      user: { id: "usr_4", email: "1c8d@service.invalid", name: "Nightly build" },
    });
    serve({ "GET /api/v1/me": meAs("owner"), [MEMBERS]: page([program]) });
    renderOnPage(<Members team={team()} />);
    const link = await screen.findByRole("link", { name: "Manage tokens" });
    expect(link.getAttribute("href")).toBe("/teams/tea_1/tokens");
    expect(document.body.textContent).not.toContain("service.invalid");
  });

  it("say why the last owner cannot go", async () => {
    serve({
      "GET /api/v1/me": meAs("owner"),
      [MEMBERS]: page([own]),
      "DELETE /api/v1/members/mem_1": failure(409, "last_owner", "A team needs an owner.", "Make another."),
    });
    renderOnPage(<Members team={team()} />);
    await userEvent.click(await screen.findByRole("button", { name: "Leave…" }));
    await userEvent.click(screen.getByRole("button", { name: "Leave" }));
    expect(await screen.findByText("A team needs an owner.")).toBeDefined();
  });
});

describe("the invitations of a team", () => {
  it("show their link once", async () => {
    const asked = serve({
      [INVITATIONS]: page([]),
      "POST /api/v1/teams/tea_1/invitations": {
        status: 201,
        body: { ...invitation(), link: "http://localhost/invitations/abc" },
      },
    });
    renderOnPage(<Invitations team={team()} />);
    await userEvent.type(screen.getByLabelText("E-mail address"), "new@example.org");
    await userEvent.click(screen.getByRole("button", { name: "Invite" }));
    const link = await screen.findByLabelText<HTMLInputElement>("Invitation link");
    expect(link.value).toBe("http://localhost/invitations/abc");
    expect(asked.find((item) => item.method === "POST")?.body).toEqual({
      email: "new@example.org",
      role: "member",
      may_approve: true,
    });
  });

  it("can be taken back while they are open", async () => {
    const asked = serve({
      [INVITATIONS]: page([
        invitation(),
        invitation({ id: "inv_2", state: "accepted", email: "b@example.org" }),
      ]),
      "DELETE /api/v1/invitations/inv_1": { status: 204 },
    });
    renderOnPage(<Invitations team={team()} />);
    await userEvent.click(await screen.findByRole("button", { name: "Revoke" }));
    await waitFor(() => expect(asked.some((item) => item.method === "DELETE")).toBe(true));
    expect(screen.getByText("Accepted")).toBeDefined();
  });
});

describe("the end of a team", () => {
  const LOSS = {
    body: {
      asked: false,
      remove_at: "2036-01-08T00:00:00Z",
      projects: 2,
      workspaces: 3,
      sessions: 4,
      members: 5,
    },
  };

  it("says what is lost, and wants the name", async () => {
    const asked = serve({
      "GET /api/v1/teams/tea_1/deletion": LOSS,
      "POST /api/v1/teams/tea_1/deletion": { status: 202, body: team() },
    });
    const refresh = vi.fn(async () => undefined);
    renderOnPage(<DeletionSection id="tea_1" name="Team" kind="team" removeAt={null} refresh={refresh} />);
    await userEvent.click(screen.getByRole("button", { name: "Delete…" }));
    expect(await screen.findByText(/2 projects, 3 workspaces, 4 sessions/)).toBeDefined();
    const button = screen.getByRole<HTMLButtonElement>("button", { name: "Delete" });
    expect(button.disabled).toBe(true);
    await userEvent.type(screen.getByLabelText(/Type .Team. to confirm/), "Team");
    await userEvent.click(button);
    await waitFor(() => expect(refresh).toHaveBeenCalled());
    expect(asked.find((item) => item.method === "POST")?.body).toEqual({ name: "Team" });
  });

  it("can be undone until its day", async () => {
    const asked = serve({ "DELETE /api/v1/teams/tea_1/deletion": { body: team() } });
    const refresh = vi.fn(async () => undefined);
    renderOnPage(
      <DeletionSection
        id="tea_1"
        name="Team"
        kind="team"
        removeAt="2036-01-08T00:00:00Z"
        refresh={refresh}
      />,
    );
    await userEvent.click(screen.getByRole("button", { name: "Cancel deletion" }));
    await waitFor(() => expect(refresh).toHaveBeenCalled());
    expect(asked.map((item) => item.method)).toContain("DELETE");
  });
});

describe("the page of a team", () => {
  it("offers admins' pages to admins alone", async () => {
    serve({ "GET /api/v1/me": meAs("viewer"), [MEMBERS]: page([member()]) });
    renderOnPage(<TeamPage teamId="tea_1" tab={undefined} />);
    await screen.findByText("Mika");
    const nav = within(screen.getByRole("navigation", { name: "Settings" }));
    const names = nav.getAllByRole("link").map((link) => link.textContent);
    expect(names).toContain("Members");
    expect(names).not.toContain("Invitations");
    expect(names).not.toContain("Audit log");
  });

  it("is missing for who is not in the team", async () => {
    serve({});
    renderOnPage(<TeamPage teamId="tea_9" tab={undefined} />);
    expect(await screen.findByText("There is no such team")).toBeDefined();
  });
});
