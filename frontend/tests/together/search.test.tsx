import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { SearchPage } from "../../src/together/SearchPage";
import { queryOf, readSearchParams, searchPath } from "../../src/together/searchParams";
import { meAs, renderOnPage, serve } from "../support/render";
import { member, page } from "../support/teams";

beforeEach(() => queryClient.clear());
afterEach(() => {
  vi.unstubAllGlobals();
  window.history.replaceState(null, "", "/");
});

describe("what is looked for", () => {
  it("is what the address says, and back", () => {
    const path = "/search?q=tea+cup&person=usr_2&status=idle&until=2026-11-20";
    expect(searchPath(readSearchParams(path.slice("/search".length)))).toBe(path);
    expect(readSearchParams("?q=tea&status=gone").status).toBe("");
  });

  it("has days of the person's own, the last of them included", () => {
    const { after, before } = queryOf(readSearchParams("?q=tea&from=2026-11-20&until=2026-11-20"));
    expect(after).toBe(new Date(2026, 10, 20).toISOString());
    expect(before).toBe(new Date(2026, 10, 21).toISOString());
    expect(queryOf(readSearchParams("?q=tea&from=never"))).toEqual({ q: "tea" });
  });
});

describe("the search page", () => {
  it("asks anew when a person is chosen, and offers to look everywhere when nothing fits", async () => {
    const asked = serve({
      "GET /api/v1/me": meAs("member"),
      "GET /api/v1/teams/tea_1/members": page([member()]),
      "GET /api/v1/search": { body: { items: [], next_cursor: null } },
    });
    window.history.replaceState(null, "", "/search?q=tea");
    renderOnPage(<SearchPage />);
    await screen.findByRole("option", { name: "Mika" });
    await userEvent.selectOptions(screen.getByLabelText("Person"), "Mika");
    await waitFor(() => expect(asked.some(({ query }) => query.includes("person_id=usr_2"))).toBe(true));
    await userEvent.click(await screen.findByRole("button", { name: "Search without filters" }));
    expect(window.location.search).toBe("?q=tea");
  });
});
