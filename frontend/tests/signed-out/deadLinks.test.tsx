import { screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { InvitationPage } from "../../src/signed-out/InvitationPage";
import { SharedPage } from "../../src/together/SharedPage";
import { failure, renderOnPage, serve } from "../support/render";

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

const OPENS_NOTHING = failure(404, "not_found", "This link opens nothing.", "Ask for a new link.");

const wayOn = async (name: string) => (await screen.findByRole("link", { name })).getAttribute("href");

describe("a link that opens nothing", () => {
  it("to a session leads home", async () => {
    serve({ "GET /api/v1/shared/gone": OPENS_NOTHING });
    renderOnPage(<SharedPage secret="gone" />);
    expect(await wayOn("Back to home")).toBe("/");
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Shared session");
  });

  it("to a session of a team leads to signing in", async () => {
    serve({ "GET /api/v1/shared/team": failure(401, "not_signed_in", "For members.", "Sign in.") });
    renderOnPage(<SharedPage secret="team" />);
    expect(await wayOn("Sign in")).toBe("/");
  });

  it("of an invitation leads to signing in", async () => {
    serve({
      "GET /api/v1/me": failure(401, "not_signed_in", "Nobody is signed in.", "Sign in."),
      "POST /api/v1/invitations/open": OPENS_NOTHING,
    });
    renderOnPage(<InvitationPage secret="gone" />);
    expect(await wayOn("Go to sign in")).toBe("/");
  });
});
