import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { Home } from "../../src/pages/Home";
import { NoTeam } from "../../src/pages/NoTeam";
import { ME, meAs, renderOnPage, serve } from "../support/render";

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

describe("home of somebody without a team", () => {
  it("says how to come into one", async () => {
    serve({});
    renderOnPage(<NoTeam />);
    expect(await screen.findByRole("textbox", { name: "Name of a new team" })).toBeDefined();
  });

  it("creates one, and then offers the first project", async () => {
    let isMade = false;
    const asked = serve({
      "GET /api/v1/me": () => (isMade ? meAs("owner") : ME),
      "POST /api/v1/teams": () => {
        isMade = true;
        return { status: 201, body: { id: "tea_1", name: "Tea" } };
      },
    });
    renderOnPage(<Home />);
    await userEvent.type(await screen.findByRole("textbox", { name: "Name of a new team" }), "Tea{Enter}");
    expect(await screen.findByRole("heading", { name: "Your first project" })).toBeDefined();
    expect(await screen.findByRole("form", { name: "Connect a forge" })).toBeDefined();
    expect(asked.find(({ method }) => method === "POST")?.body).toEqual({ name: "Tea" });
  });

  it("does not speak of projects and an admin of a team that is not", async () => {
    serve({ "/api/v1/projects": { body: { items: [], next_cursor: null } } });
    renderOnPage(<Home />);
    expect(await screen.findByRole("textbox", { name: "Name of a new team" })).toBeDefined();
    expect(screen.queryByRole("heading", { name: "Projects" })).toBeNull();
  });
});
