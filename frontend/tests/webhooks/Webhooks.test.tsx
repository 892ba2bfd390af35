import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { Webhooks } from "../../src/webhooks/Webhooks";
import { renderOnPage, serve } from "../support/render";

const TEAM = { id: "tea_1", slug: "t", name: "Team", role: "owner" } as Parameters<
  typeof Webhooks
>[0]["team"];
const HOOK = {
  id: "whk_1",
  name: "CI",
  url: "https://ci.example.org/in",
  events: ["turn.ended"],
  enabled: true,
  disabled_why: "",
};
const EVENTS = [
  { type: "turn.ended", meaning: "an agent is done" },
  { type: "session.created", meaning: "a session was opened" },
];

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

it("is changed without losing its secret and what was sent", async () => {
  const asked = serve({
    "GET /api/v1/teams/tea_1/webhooks": { body: { items: [HOOK], next_cursor: null } },
    "GET /api/v1/webhook-events": { body: { items: EVENTS } },
    "PATCH /api/v1/webhooks/whk_1": { body: HOOK },
  });
  renderOnPage(<Webhooks team={TEAM} />);
  await userEvent.click(await screen.findByRole("button", { name: /^CI/ }));
  await userEvent.click(screen.getByRole("button", { name: "Change" }));
  const form = await screen.findByRole("form", { name: "Change CI", hidden: true });
  const opened = Array.from(form.querySelectorAll("label")).find((one) =>
    one.textContent?.includes("session.created"),
  );
  await userEvent.click(opened as HTMLElement);
  await userEvent.click(screen.getByRole("button", { name: "Save", hidden: true }));
  await waitFor(() => expect(asked.some((one) => one.method === "PATCH")).toBe(true));
  expect(asked.find((one) => one.method === "PATCH")?.body).toEqual({
    name: "CI",
    url: "https://ci.example.org/in",
    events: ["turn.ended", "session.created"],
  });
});
