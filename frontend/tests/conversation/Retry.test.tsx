import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { Retry, SlowModel } from "../../src/conversation/Retry";
import "../../src/conversation/RetryActions"; // so that no test waits for it
import { message, part, session, snapshot, turn } from "../support/builders";
import { renderInSession, serve } from "../support/render";

const MODELS = {
  body: {
    items: [
      { id: "one/big", name: "big", provider_name: "One", refusal: "" },
      { id: "two/big", name: "big", provider_name: "Two", refusal: "" },
      { id: "two/old", name: "old", provider_name: "Two", refusal: "no longer offered" },
    ],
  },
};

function open(data: object, over = {}, node = <Retry partId="prt_2" />) {
  const asked = serve({
    "GET /api/v1/projects/prj_1/models": MODELS,
    "POST /api/v1/turns/trn_1/model": { body: {} },
    "POST /api/v1/sessions/ses_1/abort": { status: 202, body: session({ status: "idle" }) },
  });
  const shot = snapshot({
    session: session({ status: "running" }),
    turns: [turn({ state: "running" })],
    messages: [message({ id: "msg_2", model: "one/big", state: "interrupted" })],
    parts: [part({ id: "prt_2", message_id: "msg_2", type: "retry", text: "", data: data as never })],
    ...over,
  });
  renderInSession(node, shot);
  return asked;
}

const soon = () => new Date(Date.now() + 90_000).toISOString();
const FAILED = {
  attempt: 1,
  of: 5,
  message: "The model provider has a problem (status 500).",
  next_at: soon(),
};

afterEach(() => vi.unstubAllGlobals());

it("says which try comes next, when, and what the provider said", async () => {
  open({ ...FAILED, next_at: soon() });
  expect(screen.getByTestId("retry").textContent).toMatch(
    /^Try 2 of 5 in \d+ s: The model provider has a problem \(status 500\)\.$/,
  );
  expect(await screen.findByRole("button", { name: /Stop/ })).toBeDefined();
});

it("lets another model continue the turn", async () => {
  const asked = open(FAILED);
  await userEvent.click(await screen.findByRole("button", { name: "Another model" }));
  const entries = await screen.findAllByRole("menuitem");
  expect(entries.map((entry) => entry.textContent)).toEqual(["two/bigTwo"]);
  await userEvent.click(entries[0] as HTMLElement);
  await waitFor(() =>
    expect(asked.find(({ method }) => method === "POST")).toMatchObject({
      path: "/api/v1/turns/trn_1/model",
      body: { model: "two/big" },
    }),
  );
});

it("says that a person chose the model that continues", () => {
  open({ ...FAILED, message: "", model: "one/big", next: "two/big", by: "usr_1" });
  expect(screen.getByTestId("fallback").textContent).toBe(
    "A person chose another model: two/big continues instead of one/big.",
  );
});

it("offers nothing to people who only watch", () => {
  open(FAILED, { can_act: false });
  expect(screen.getByTestId("retry").textContent).toContain("Try 2 of 5");
  expect(screen.queryByRole("button")).toBeNull();
});

it("offers another model when the first one is silent for long", async () => {
  open(FAILED, {}, <SlowModel turnId="trn_1" seconds={20} />);
  expect(await screen.findByRole("button", { name: "Another model" })).toBeDefined();
  expect(screen.getByRole("status").textContent).toContain("has not answered yet");
});

it("waits before it calls a model silent", () => {
  open(FAILED, {}, <SlowModel turnId="trn_1" seconds={19} />);
  expect(screen.queryByRole("status")).toBeNull();
});
