import { screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { Home } from "../../src/pages/Home";
import { NoTeam } from "../../src/pages/NoTeam";
import { renderOnPage, serve } from "../support/render";

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

describe("home of somebody without a team", () => {
  it("says how to come into one", async () => {
    serve({});
    renderOnPage(<NoTeam />);
    expect(await screen.findByRole("button", { name: "Create a team" })).toBeDefined();
  });

  it("does not speak of projects and an admin of a team that is not", async () => {
    serve({ "/api/v1/projects": { body: { items: [], next_cursor: null } } });
    renderOnPage(<Home />);
    expect(await screen.findByRole("button", { name: "Create a team" })).toBeDefined();
    expect(screen.queryByRole("heading", { name: "Projects" })).toBeNull();
  });
});
