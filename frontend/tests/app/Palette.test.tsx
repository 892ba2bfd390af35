import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Palette } from "../../src/app/Palette";
import { queryClient } from "../../src/app/queries";
import { close, open } from "../../src/app/shellStore";
import { takeSuggested } from "../../src/conversation/suggested";
import { meAs, renderOnPage, serve } from "../support/render";
import { page } from "../support/teams";

const site = (role: string) =>
  serve({
    "GET /api/v1/me": meAs(role),
    "GET /api/v1/projects": page([{ id: "prj_1", team_id: "tea_1", name: "Tea shop" }]),
  });

beforeEach(() => {
  queryClient.clear();
  open("palette");
});
afterEach(() => {
  close("palette");
  vi.unstubAllGlobals();
});

describe("the palette", () => {
  it("leads to the composer, which creates nothing before the first prompt", async () => {
    const asked = site("member");
    renderOnPage(<Palette />);
    await userEvent.click(await screen.findByText("New task in Tea shop"));
    expect(window.location.pathname).toBe("/projects/prj_1");
    expect(asked.filter((item) => item.method === "POST")).toEqual([]);
  });

  it("lists the commands of the shown session, and puts the chosen one into its prompt box", async () => {
    serve({
      "GET /api/v1/sessions/ses_1/commands": {
        body: { items: [{ name: "review", description: "Reviews" }] },
      },
    });
    window.history.replaceState(null, "", "/sessions/ses_1");
    renderOnPage(<Palette />);
    await userEvent.click(await screen.findByText("/review"));
    expect(takeSuggested("ses_2")).toBeNull();
    expect(takeSuggested("ses_1")).toBe("/review ");
    expect(takeSuggested("ses_1")).toBeNull();
    window.history.replaceState(null, "", "/");
  });

  it("starts none for viewers", async () => {
    site("viewer");
    renderOnPage(<Palette />);
    await screen.findByText("Policy of Team");
    await screen.findByText("Workspaces of Tea shop");
    expect(screen.queryByText(/New task in Tea shop/)).toBeNull();
  });
});
