import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { Webhooks } from "../../src/webhooks/Webhooks";
import { failure, renderOnPage, serve } from "../support/render";
import { page } from "../support/teams";

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
const HOOKS = "GET /api/v1/teams/tea_1/webhooks";
const EVENTS = [
  { type: "turn.ended", meaning: "an agent is done" },
  { type: "session.created", meaning: "a session was created" },
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

it("shows a new secret in its row, and how long the one before signs too", async () => {
  let hook: object = HOOK;
  serve({
    [HOOKS]: () => page([hook]),
    "POST /api/v1/webhooks/whk_1/rotate": () => {
      hook = { ...HOOK, old_secret_until: "2099-01-01T00:00:00Z" };
      return { body: { ...hook, secret: "whsec_new" } };
    },
  });
  renderOnPage(<Webhooks team={TEAM} />);
  await userEvent.click(await screen.findByRole("button", { name: /^CI/ }));
  await userEvent.click(screen.getByRole("button", { name: "New secret" }));
  const row = within(screen.getByTestId("webhook-row"));
  const field = (await row.findByLabelText("New signing secret")) as HTMLInputElement;
  expect(field.value).toBe("whsec_new");
  await row.findByText(/The previous secret also signs requests until/);
});

it("tells in its row why it could not be removed", async () => {
  serve({
    [HOOKS]: page([HOOK]),
    "DELETE /api/v1/webhooks/whk_1": failure(403, "forbidden", "Only admins remove webhooks."),
  });
  renderOnPage(<Webhooks team={TEAM} />);
  await userEvent.click(await screen.findByRole("button", { name: /^CI/ }));
  await userEvent.click(screen.getByRole("button", { name: "Remove…" }));
  const dialog = await screen.findByRole("dialog", { name: "Remove CI?", hidden: true });
  await userEvent.click(within(dialog).getByRole("button", { name: "Remove", hidden: true }));
  const row = within(screen.getByTestId("webhook-row"));
  await row.findByText("Only admins remove webhooks.");
  expect(within(dialog).queryByText("Remove")).toBeNull();
});

it("reads a delivery's tries anew when it was sent again", async () => {
  let attempts = 1;
  const delivery = () => ({
    id: "dlv_1",
    webhook_id: "whk_1",
    type: "ping",
    state: "delivered",
    attempts,
    created_at: "2026-01-01T00:00:00Z",
    last: null,
  });
  const tries = () =>
    Array.from({ length: attempts }, (_, index) => ({
      number: index + 1,
      at: "2026-01-01T00:00:00Z",
      status: 204,
      milliseconds: 3,
      answer: "",
      problem: "",
    }));
  serve({
    [HOOKS]: page([HOOK]),
    "GET /api/v1/webhooks/whk_1/deliveries": () => page([delivery()]),
    "GET /api/v1/deliveries/dlv_1": () => ({ body: { ...delivery(), body: "{}", tries: tries() } }),
    "POST /api/v1/deliveries/dlv_1/redeliver": () => {
      attempts = 2;
      return { body: delivery() };
    },
  });
  renderOnPage(<Webhooks team={TEAM} />);
  await userEvent.click(await screen.findByRole("button", { name: /^CI/ }));
  await userEvent.click(await screen.findByRole("button", { name: /^ping/ }));
  const list = await screen.findByRole("list", { name: "Attempts" });
  expect(within(list).getAllByRole("listitem")).toHaveLength(1);
  await userEvent.click(screen.getByRole("button", { name: "Send again" }));
  await waitFor(() => expect(within(list).getAllByRole("listitem")).toHaveLength(2));
});
