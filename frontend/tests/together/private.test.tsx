import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { SessionRow } from "../../src/app/SessionRow";
import { Home } from "../../src/pages/Home";
import { SearchResult } from "../../src/together/SearchResult";
import { ShareButton } from "../../src/together/ShareButton";
import { at, session, snapshot } from "../support/builders";
import { meAs, renderApart, renderInSession, renderOnPage, serve } from "../support/render";
import { page } from "../support/teams";

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

describe("a private session", () => {
  const closed = session({ title: "Closed one", shared_with: "private" });

  it("is marked in the lists of the home page", async () => {
    serve({ "GET /api/v1/sessions": page([closed]) });
    renderOnPage(<Home />);
    const recent = within(await screen.findByRole("region", { name: "Ready to review" }));
    expect(within(recent.getByRole("link")).getByText("Private")).toBeTruthy();
  });

  it("is marked among what was found, and others are not", () => {
    const hit = {
      kind: "title",
      ref: "ses_1",
      session_id: "ses_1",
      session_title: "Closed one",
      session_status: "idle",
      shared_with: "private",
      project_id: "prj_1",
      project_name: "Shop",
      person: null,
      at: at(0),
      pieces: [],
    } as const;
    const shown = renderApart(<SearchResult hit={{ ...hit, pieces: [] }} />);
    expect(screen.getByText("Private")).toBeTruthy();
    shown.unmount();
    renderApart(<SearchResult hit={{ ...hit, pieces: [], shared_with: "team" }} />);
    expect(screen.queryByText("Private")).toBeNull();
  });

  it("is marked only where it is private", () => {
    renderApart(<SessionRow session={session()} />);
    expect(screen.queryByTestId("private-mark")).toBeNull();
  });
});

describe("sharing", () => {
  const shared = (shared_with: "team" | "private", can_act: boolean) =>
    renderInSession(
      <ShareButton sessionId="ses_1" />,
      snapshot({ can_act, session: session({ shared_with }) }),
    );

  it("is offered to those who act in the session", () => {
    shared("team", true);
    expect(screen.getByRole("button", { name: "Share" })).toBeTruthy();
  });

  it("is not offered to viewers, who are told that a session is private", () => {
    const shown = shared("team", false);
    expect(screen.queryByTestId("share-button")).toBeNull();
    shown.unmount();
    shared("private", false);
    expect(screen.queryByRole("button")).toBeNull();
    expect(screen.getByText("Private")).toBeTruthy();
  });
});

describe("the first steps of the home page", () => {
  it("are not offered to viewers, who start nothing", async () => {
    const project = { id: "prj_1", team_id: "tea_1", name: "Tea shop", suggested_prompt: "Look around" };
    const answers = { "GET /api/v1/projects": page([project]), "GET /api/v1/sessions": page([]) };
    serve({ ...answers, "GET /api/v1/me": meAs("viewer") });
    const shown = renderOnPage(<Home />);
    await screen.findByRole("link", { name: /Tea shop/ });
    await waitFor(() => expect(screen.queryByTestId("suggested-prompt")).toBeNull());
    shown.unmount();
    queryClient.clear();
    serve({ ...answers, "GET /api/v1/me": meAs("member") });
    renderOnPage(<Home />);
    expect(await screen.findByTestId("suggested-prompt")).toBeTruthy();
  });
});
