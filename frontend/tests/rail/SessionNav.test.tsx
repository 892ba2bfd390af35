import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Me } from "../../src/api/types";
import { queryClient } from "../../src/app/queries";
import { setOwner, setState } from "../../src/rail/filter";
import { SessionNav } from "../../src/rail/SessionNav";
import { session } from "../support/builders";
import { ME, renderOnPage, serve } from "../support/render";
import { page } from "../support/teams";

const me = ME.body as unknown as Me;
const LIST = "GET /api/v1/sessions";

beforeEach(() => {
  queryClient.clear();
  setOwner("team");
  setState("any");
});
afterEach(() => vi.unstubAllGlobals());

describe("the sessions of the rail", () => {
  it("are marked where they are private, and name who else started them", async () => {
    serve({
      [LIST]: page([
        session({ title: "Open one", created_by: { id: "usr_2", email: "d@example.org", name: "Dana" } }),
        session({ id: "ses_2", title: "Closed one", shared_with: "private" }),
      ]),
    });
    renderOnPage(<SessionNav projectId={null} current={undefined} me={me} />);
    const closed = await screen.findByRole("link", { name: /Closed one/ });
    expect(within(closed).getByText("Private")).toBeTruthy();
    const open = screen.getByRole("link", { name: /Open one/ });
    expect(within(open).queryByText("Private")).toBeNull();
    expect(within(open).getByText("by Dana")).toBeTruthy();
  });

  it("are asked for by project, person and state", async () => {
    const asked = serve({ [LIST]: page([]) });
    renderOnPage(<SessionNav projectId="prj_1" current={undefined} me={me} />);
    await userEvent.selectOptions(screen.getByLabelText("Whose sessions"), "Mine");
    await userEvent.selectOptions(screen.getByLabelText("State of the sessions"), "Archived");
    await waitFor(() => {
      const query = new URLSearchParams(asked.at(-1)?.query);
      expect(query.get("project")).toBe("prj_1");
      expect(query.get("created_by")).toBe("usr_1");
      expect(query.get("archived")).toBe("true");
      expect(query.get("status")).toBeNull();
    });
    expect(await screen.findByText("No sessions match.")).toBeDefined();
  });

  it("are read page by page", async () => {
    const asked = serve({
      [LIST]: () =>
        asked.at(-1)?.query.includes("cursor=cur_1")
          ? page([session({ id: "ses_2", title: "Older one" })])
          : { body: { items: [session({ title: "Newer one" })], next_cursor: "cur_1" } },
    });
    renderOnPage(<SessionNav projectId={null} current={undefined} me={me} />);
    await userEvent.click(await screen.findByRole("button", { name: "Show older sessions" }));
    expect(await screen.findByRole("link", { name: /Older one/ })).toBeDefined();
    expect(screen.getByRole("link", { name: /Newer one/ })).toBeDefined();
    expect(screen.queryByRole("button", { name: "Show older sessions" })).toBeNull();
  });
});
