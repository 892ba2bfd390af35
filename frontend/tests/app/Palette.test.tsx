import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Palette } from "../../src/app/Palette";
import { queryClient } from "../../src/app/queries";
import { close, open } from "../../src/app/shellStore";
import { session } from "../support/builders";
import { meAs, renderOnPage, serve } from "../support/render";
import { page } from "../support/teams";

const site = (role: string) =>
  serve({
    "GET /api/v1/me": meAs(role),
    "GET /api/v1/projects": page([{ id: "prj_1", team_id: "tea_1", name: "Tea shop" }]),
    "POST /api/v1/projects/prj_1/sessions": { status: 201, body: session() },
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
  it("starts a session for oneself alone", async () => {
    const asked = site("member");
    renderOnPage(<Palette />);
    await userEvent.click(await screen.findByText("New private session in Tea shop"));
    await waitFor(() =>
      expect(asked.find((item) => item.method === "POST")?.body).toEqual({ shared_with: "private" }),
    );
  });

  it("starts none for viewers", async () => {
    site("viewer");
    renderOnPage(<Palette />);
    await screen.findByText("Policy of Team");
    await screen.findByText("Workspaces of Tea shop");
    expect(screen.queryByText(/New .*session in Tea shop/)).toBeNull();
  });
});
