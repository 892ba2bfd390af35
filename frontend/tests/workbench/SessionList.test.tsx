import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { ProjectPage } from "../../src/pages/ProjectPage";
import { SessionList } from "../../src/workbench/SessionList";
import { session } from "../support/builders";
import { meAs, PROJECT, renderOnPage, serve } from "../support/render";
import { page } from "../support/teams";

const LIST = "/api/v1/projects/prj_1/sessions";
const made = () => ({ status: 201, body: session({ id: "ses_9" }) });

const site = (role: string, items: unknown[] = []) =>
  serve({
    "GET /api/v1/me": meAs(role),
    "GET /api/v1/projects/prj_1": PROJECT,
    [`GET ${LIST}`]: page(items),
    [`POST ${LIST}`]: made,
  });

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

describe("the sessions of a project", () => {
  it("are marked where they are private, in words too", async () => {
    site("member", [
      session({ title: "Open one" }),
      session({ id: "ses_2", title: "Closed one", shared_with: "private" }),
    ]);
    renderOnPage(<SessionList projectId="prj_1" />);
    const closed = await screen.findByRole("link", { name: /Closed one/ });
    expect(within(closed).getByText("Private")).toBeTruthy();
    expect(within(screen.getByRole("link", { name: /Open one/ })).queryByText("Private")).toBeNull();
  });

  it("are the team's, unless one says that the next is private", async () => {
    const asked = site("member");
    renderOnPage(<SessionList projectId="prj_1" workspaceId="wsp_1" />);
    const bodies = () => asked.filter((item) => item.method === "POST").map((item) => item.body);
    const start = screen.getByRole("button", { name: "New session" });
    await userEvent.click(screen.getByRole("checkbox", { name: "Private" }));
    expect(screen.getByText(/Only you can see the new session/)).toBeTruthy();
    await userEvent.click(start);
    await waitFor(() => expect(bodies()).toEqual([{ workspace_id: "wsp_1", shared_with: "private" }]));
    await waitFor(() =>
      expect((screen.getByRole("checkbox", { name: "Private" }) as HTMLInputElement).checked).toBe(false),
    );
    await userEvent.click(start);
    await waitFor(() => expect(bodies()[1]).toEqual({ workspace_id: "wsp_1" }));
  });

  it("are only read by viewers", async () => {
    const asked = site("viewer", [session({ title: "Open one" })]);
    renderOnPage(<SessionList projectId="prj_1" />);
    await screen.findByRole("link", { name: /Open one/ });
    await waitFor(() => expect(screen.queryByRole("button")).toBeNull());
    expect(screen.queryByRole("checkbox")).toBeNull();
    await userEvent.keyboard("n{Alt>}n{/Alt}");
    expect(asked.filter((item) => item.method === "POST")).toEqual([]);
  });
});

describe("the page of a project", () => {
  const intro = async () => within(await screen.findByRole("main"));

  it("starts a private session, empty or with the suggestion", async () => {
    const asked = serve({
      "GET /api/v1/me": meAs("member"),
      "GET /api/v1/projects/prj_1": {
        body: { id: "prj_1", team_id: "tea_1", name: "Tea shop", suggested_prompt: "Look around" },
      },
      [`GET ${LIST}`]: page([]),
      [`POST ${LIST}`]: made,
    });
    renderOnPage(<ProjectPage projectId="prj_1" />);
    const main = await intro();
    await userEvent.click(await main.findByRole("checkbox", { name: "Private" }));
    await userEvent.click(main.getByTestId("suggested-prompt"));
    await waitFor(() =>
      expect(asked.find((item) => item.method === "POST")?.body).toEqual({ shared_with: "private" }),
    );
  });

  it("offers viewers nothing to start", async () => {
    site("viewer");
    renderOnPage(<ProjectPage projectId="prj_1" />);
    const main = await intro();
    await main.findByRole("heading", { name: "Tea shop" });
    await waitFor(() => expect(main.queryByRole("button", { name: "Empty session" })).toBeNull());
    expect(main.queryByRole("checkbox")).toBeNull();
  });
});
