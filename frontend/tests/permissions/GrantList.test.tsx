import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { GrantList } from "../../src/permissions/GrantList";
import { at } from "../support/builders";
import { DANA } from "../support/policies";
import { failure, renderOnPage, serve } from "../support/render";

const GRANT = {
  id: "grt_1",
  scope: "project",
  project_id: "prj_1",
  session_id: null,
  request_id: "per_abcdef",
  permission: "bash",
  pattern: "git push *",
  granted_by: DANA,
  created_at: at(0),
};

afterEach(() => {
  vi.unstubAllGlobals();
  queryClient.clear();
});

describe("the list of grants", () => {
  it("says what, who, where and from which request, and takes one back", async () => {
    let items = [GRANT];
    const asked = serve({
      "GET /api/v1/sessions/ses_1/grants": () => ({ body: { items } }),
      "DELETE /api/v1/grants/grt_1": () => {
        items = [];
        return { status: 204 };
      },
    });
    renderOnPage(<GrantList place={{ of: "session", id: "ses_1" }} />);
    const grant = within(await screen.findByTestId("grant"));
    for (const words of ["bash git push *", "in the whole project", "by Dana", "from request abcdef"]) {
      expect(grant.getByText(words)).toBeDefined();
    }
    await userEvent.click(grant.getByRole("button", { name: "Revoke bash git push *" }));
    await screen.findByText("Nobody has answered “always” to a request that applies to this session.");
    expect(asked.filter((item) => item.method === "DELETE")).toHaveLength(1);
  });

  it("says why a grant could not be taken back, and keeps it", async () => {
    serve({
      "GET /api/v1/teams/tea_1/grants": { body: { items: [GRANT] } },
      "DELETE /api/v1/grants/grt_1": failure(403, "forbidden", "Only admins may revoke this."),
    });
    renderOnPage(<GrantList place={{ of: "team", id: "tea_1" }} />);
    await userEvent.click(await screen.findByRole("button", { name: /Revoke/ }));
    await waitFor(() =>
      expect(screen.getByRole("alert").textContent).toContain("Only admins may revoke this."),
    );
    expect(screen.getByTestId("grant")).toBeDefined();
  });
});
