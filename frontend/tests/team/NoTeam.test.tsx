import { screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
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
});
