import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Me, Session } from "../../src/api/types";
import { queryClient } from "../../src/app/queries";
import { setLabel, setOwner, setState } from "../../src/rail/filter";
import { SessionNav } from "../../src/rail/SessionNav";
import { session } from "../support/builders";
import { type Asked, ME, meAs, PROJECT, renderOnPage, serve } from "../support/render";
import { page } from "../support/teams";

const me = ME.body as unknown as Me;
const LIST = "GET /api/v1/sessions";

beforeEach(() => {
  queryClient.clear();
  setOwner("team");
  setState("any");
  setLabel("");
});
afterEach(() => vi.unstubAllGlobals());

/** Serves the lists of the pinned and of the other sessions, and remembers what was asked. */
function serveLists(pinned: Session[], others: (query: string) => Answer, more: Answers = {}): Asked[] {
  const asked: Asked[] = serve({
    [LIST]: () => {
      const query = asked.at(-1)?.query ?? "";
      return query.includes("pinned=true") ? page(pinned) : others(query);
    },
    ...more,
  });
  return asked;
}
type Answers = Parameters<typeof serve>[0];
type Answer = Exclude<Answers[string], () => unknown>;

const nav = (projectId: string | null = null) =>
  renderOnPage(<SessionNav projectId={projectId} current={undefined} me={me} />);

describe("the sessions of the rail", () => {
  it("are marked where they are private, and name who else started them", async () => {
    serveLists([], () =>
      page([
        session({ title: "Open one", created_by: { id: "usr_2", email: "d@example.org", name: "Dana" } }),
        session({ id: "ses_2", title: "Closed one", shared_with: "private" }),
      ]),
    );
    nav();
    const closed = await screen.findByRole("link", { name: /Closed one/ });
    expect(within(closed).getByText("Private")).toBeTruthy();
    const open = screen.getByRole("link", { name: /Open one/ });
    expect(within(open).queryByText("Private")).toBeNull();
    expect(within(open).getByText("by Dana")).toBeTruthy();
  });

  it("are asked for by project, person, state and label", async () => {
    const asked = serveLists([], () => page([session({ labels: ["bug"] })]));
    nav("prj_1");
    await userEvent.selectOptions(await screen.findByLabelText("Label of the sessions"), "bug");
    await userEvent.selectOptions(screen.getByLabelText("Whose sessions"), "Mine");
    await userEvent.selectOptions(screen.getByLabelText("State of the sessions"), "Archived");
    await waitFor(() => {
      const query = new URLSearchParams(asked.findLast(({ path }) => path === "/api/v1/sessions")?.query);
      expect(query.get("project")).toBe("prj_1");
      expect(query.get("created_by")).toBe("usr_1");
      expect(query.get("archived")).toBe("true");
      expect(query.get("label")).toBe("bug");
      expect(query.get("status")).toBeNull();
    });
  });

  it("are read page by page", async () => {
    serveLists([], (query) =>
      query.includes("cursor=cur_1")
        ? page([session({ id: "ses_2", title: "Older one" })])
        : { body: { items: [session({ title: "Newer one" })], next_cursor: "cur_1" } },
    );
    nav();
    await userEvent.click(await screen.findByRole("button", { name: "Show older sessions" }));
    expect(await screen.findByRole("link", { name: /Older one/ })).toBeDefined();
    expect(screen.getByRole("link", { name: /Newer one/ })).toBeDefined();
    expect(screen.queryByRole("button", { name: "Show older sessions" })).toBeNull();
  });

  it("are shown once, also while only one of the lists knows that a session was pinned", async () => {
    const both = session({ title: "Just pinned" });
    serveLists([both], () => page([both, session({ id: "ses_2", title: "Other" })]));
    nav();
    expect(await screen.findByRole("link", { name: /Other/ })).toBeDefined();
    expect(await screen.findByRole("list", { name: "Pinned" })).toBeDefined();
    expect(screen.getAllByRole("link", { name: /Just pinned/ })).toHaveLength(1);
  });

  it("have pinned ones first, and say which are not read", async () => {
    serveLists([session({ id: "ses_2", title: "Kept" })], () => page([session({ title: "Other" })]), {
      "GET /api/v1/session-marks": page([{ session_id: "ses_1", pinned: false, unread: true }]),
    });
    nav();
    expect(await screen.findByRole("link", { name: /Unread: .*Other/ })).toBeDefined();
    const pinned = await screen.findByRole("list", { name: "Pinned" });
    expect(within(pinned).getByRole("link", { name: /Kept/ })).toBeDefined();
  });
});

describe("the menu of a session", () => {
  const own = session({ title: "Mine", created_by: { id: "usr_1", email: "a@example.org", name: "A" } });

  it("pins, archives and deletes it by keyboard", async () => {
    const asked = serveLists([], () => page([own]), {
      "GET /api/v1/me": meAs("member"),
      "GET /api/v1/projects/prj_1": PROJECT,
      "PUT /api/v1/sessions/ses_1/mark": { body: { session_id: "ses_1", pinned: true, unread: false } },
      "PATCH /api/v1/sessions/ses_1": { body: session({ archived: true }) },
      "DELETE /api/v1/sessions/ses_1": { status: 204 },
    });
    nav();
    const button = await screen.findByRole("button", { name: "Actions for Mine" });
    const choose = async (name: string) => {
      button.focus();
      await userEvent.keyboard("{Enter}");
      (await screen.findByRole("menuitem", { name })).focus();
      await userEvent.keyboard("{Enter}");
    };
    await choose("Pin");
    await choose("Archive");
    await choose("Delete…");
    await userEvent.click(await screen.findByRole("button", { name: "Delete" }));
    await waitFor(() =>
      expect(
        asked.filter(({ method }) => method !== "GET").map(({ method, body }) => [method, body]),
      ).toEqual([
        ["PUT", { pinned: true }],
        ["PATCH", { archived: true }],
        ["DELETE", null],
      ]),
    );
  });

  it("renames and labels it", async () => {
    const asked = serveLists([], () => page([own]), {
      "GET /api/v1/me": meAs("member"),
      "GET /api/v1/projects/prj_1": PROJECT,
      "PATCH /api/v1/sessions/ses_1": { body: own },
    });
    nav();
    await userEvent.click(await screen.findByRole("button", { name: "Actions for Mine" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Rename and label…" }));
    await userEvent.clear(screen.getByLabelText("Title"));
    await userEvent.type(screen.getByLabelText("Title"), "Ours");
    await userEvent.type(screen.getByLabelText("Labels"), "bug, ready to ship");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() =>
      expect(asked.find(({ method }) => method === "PATCH")?.body).toEqual({
        title: "Ours",
        labels: ["bug", "ready to ship"],
      }),
    );
  });

  it("offers viewers only what is theirs", async () => {
    serveLists([], () => page([own]), {
      "GET /api/v1/me": meAs("viewer"),
      "GET /api/v1/projects/prj_1": PROJECT,
    });
    nav();
    await userEvent.click(await screen.findByRole("button", { name: "Actions for Mine" }));
    await waitFor(() => expect(screen.queryByRole("menuitem", { name: "Archive" })).toBeNull());
    expect(screen.getByRole("menuitem", { name: "Pin" })).toBeDefined();
  });
});
