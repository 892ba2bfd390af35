import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Conversation } from "../../src/conversation/Conversation";
import { PromptBox } from "../../src/conversation/PromptBox";
import "../../src/conversation/QueuedActions"; // so that no test waits for it
import { reduceFrame } from "../../src/store/reducer";
import type { SessionState } from "../../src/store/state";
import { message, part, session, snapshot, turn } from "../support/builders";
import { ME, renderInSession, serve } from "../support/render";

const author = { id: "usr_1", name: "A", email: "a@example.org" };
const shot = (over = {}) =>
  snapshot({
    session: session({ status: "running" }),
    turns: [turn({ state: "running" })],
    messages: [
      message({ id: "msg_1", role: "user", author, created_at: "2026-01-01T12:00:01Z" }),
      message({ id: "msg_2", created_at: "2026-01-01T12:00:02Z" }),
      message({ id: "msg_3", role: "user", author, created_at: "2026-01-01T12:00:03Z" }),
    ],
    parts: [
      part({ id: "prt_1", message_id: "msg_1", text: "Begin." }),
      part({ id: "prt_3", message_id: "msg_3", text: "Then tea." }),
    ],
    ...over,
  });

const TAKEN = {
  status: 409,
  body: { error: { code: "prompt_taken", message: "The agent has this prompt already.", hint: "" } },
};

function open(answers = {}, over = {}) {
  const asked = serve({
    "GET /api/v1/me": ME,
    "PATCH /api/v1/messages/msg_3": { body: {} },
    "DELETE /api/v1/messages/msg_3": { body: { text: "Then tea.", attachments: [], paths: [] } },
    ...answers,
  });
  const page = (
    <>
      <Conversation />
      <PromptBox sessionId="ses_1" />
    </>
  );
  return { asked, ...renderInSession(page, shot(over)) };
}

const sent = (asked: ReturnType<typeof open>["asked"], method: string) =>
  asked.filter((each) => each.method === method).map(({ path, body }) => [path, body]);
const prompt = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Prompt" });
const field = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: /waiting prompt/ });

afterEach(() => {
  vi.unstubAllGlobals();
  localStorage.clear();
});

describe("a prompt that waits", () => {
  it("is changed by keyboard, and the focus returns to its button", async () => {
    const { asked } = open();
    await screen.findByRole("button", { name: "Change" });
    await userEvent.keyboard("{Alt>}q{/Alt}");
    expect(document.activeElement).toBe(field());
    await userEvent.clear(field());
    await userEvent.type(field(), "Then coffee.{Enter}");
    await waitFor(() => expect(document.activeElement?.textContent).toBe("Change"));
    expect(sent(asked, "PATCH")).toEqual([["/api/v1/messages/msg_3", { text: "Then coffee." }]]);
  });

  it("goes into the prompt box when it is taken back, before what is typed there", async () => {
    const { asked } = open();
    await userEvent.type(prompt(), "And milk.");
    await userEvent.click(await screen.findByRole("button", { name: "Take back" }));
    await waitFor(() => expect(prompt().value).toBe("Then tea.\n\nAnd milk."));
    expect(document.activeElement).toBe(prompt());
    expect(sent(asked, "DELETE")).toHaveLength(1);
  });

  it("keeps what was typed when the agent was faster", async () => {
    open({ "PATCH /api/v1/messages/msg_3": TAKEN });
    await userEvent.click(await screen.findByRole("button", { name: "Change" }));
    await userEvent.type(field(), " With milk.{Enter}");
    expect((await screen.findByRole("alert")).textContent).toContain("The agent has this prompt already.");
    await userEvent.click(screen.getByRole("button", { name: "Put it into the prompt box" }));
    expect(prompt().value).toBe("Then tea. With milk.");
  });

  it("stays open for its text when the next step begins", async () => {
    const { connection } = open();
    await userEvent.click(await screen.findByRole("button", { name: "Change" }));
    await userEvent.type(field(), " Please.");
    const answer = message({ id: "msg_4", created_at: "2026-01-01T12:00:04Z" });
    const { seq } = connection.store.getState();
    act(() =>
      connection.store.setState(
        (state) =>
          reduceFrame(state, {
            type: "event",
            seq: (seq ?? 0) + 1,
            at: "",
            event_type: "message.updated",
            data: answer,
          }).state as SessionState & typeof state,
      ),
    );
    expect(field().value).toBe("Then tea. Please.");
    expect(screen.getByRole("alert").textContent).toContain("sent as a new prompt");
  });

  it("keeps what was typed when somebody else takes the prompt back", async () => {
    const { connection } = open();
    await userEvent.click(await screen.findByRole("button", { name: "Change" }));
    await userEvent.type(field(), " Please.");
    const { seq } = connection.store.getState();
    act(() =>
      connection.store.setState(
        (state) =>
          reduceFrame(state, {
            type: "event",
            seq: (seq ?? 0) + 1,
            at: "",
            event_type: "messages.removed",
            data: { message_ids: ["msg_3"], part_ids: ["prt_3"] },
          }).state as SessionState & typeof state,
      ),
    );
    await waitFor(() => expect(prompt().value).toBe("Then tea. Please."));
  });

  it("of somebody else can only be taken back", async () => {
    const other = message({
      id: "msg_3",
      role: "user",
      author: { id: "usr_2", name: "B", email: "b@example.org" },
      created_at: "2026-01-01T12:00:03Z",
    });
    open({}, { messages: [...shot().messages.slice(0, 2), other] });
    expect(await screen.findByRole("button", { name: "Take back" })).toBeDefined();
    expect(screen.queryByRole("button", { name: "Change" })).toBeNull();
  });

  it("has no buttons for people who only watch", () => {
    open({}, { can_act: false });
    expect(screen.getByTestId("queued").textContent).toContain("Queued");
    expect(screen.queryByRole("button", { name: "Take back" })).toBeNull();
  });
});

describe("a prompt that waited when the turn was stopped", () => {
  const stopped = (over = {}) => ({
    session: session({ status: "idle" }),
    turns: [turn({ state: "aborted" })],
    ...over,
  });
  const fourth = message({ id: "msg_4", role: "user", author, created_at: "2026-01-01T12:00:04Z" });

  it("says that nobody answered it, and is sent again as a new prompt", async () => {
    const asked = open(
      { "POST /api/v1/sessions/ses_1/prompts": { status: 202, body: { turn: {}, message: {} } } },
      stopped(),
    ).asked;
    await userEvent.type(prompt(), "half a thought");
    expect(screen.getByTestId("queued").textContent).toContain("stopped before the agent read this");
    expect(screen.queryByRole("button", { name: "Change" })).toBeNull();
    await userEvent.click(await screen.findByRole("button", { name: "Send now" }));
    await waitFor(() =>
      expect(sent(asked, "POST")).toEqual([["/api/v1/sessions/ses_1/prompts", { text: "Then tea." }]]),
    );
    expect(sent(asked, "DELETE")).toHaveLength(1);
    await waitFor(() => expect(prompt().value).toBe("half a thought"));
    expect(document.activeElement).toBe(prompt());
  });

  it("is sent with the others that waited, in their order", async () => {
    const { asked } = open(
      {
        "POST /api/v1/sessions/ses_1/prompts": { status: 202, body: { turn: {}, message: {} } },
        "DELETE /api/v1/messages/msg_4": { body: { text: "And milk.", attachments: [], paths: [] } },
      },
      stopped({
        messages: [...shot().messages, fourth],
        parts: [...shot().parts, part({ id: "prt_4", message_id: "msg_4", text: "And milk." })],
      }),
    );
    await userEvent.click(await screen.findByRole("button", { name: "Send all 2 now" }));
    await waitFor(() => expect(sent(asked, "POST")).toHaveLength(2));
    expect(sent(asked, "POST").map(([, body]) => body)).toEqual([
      { text: "Then tea." },
      { text: "And milk." },
    ]);
  });

  it("says why it cannot be sent when a new turn was faster", async () => {
    open({ "DELETE /api/v1/messages/msg_3": TAKEN }, stopped());
    await userEvent.click(await screen.findByRole("button", { name: "Send now" }));
    expect((await screen.findByRole("alert")).textContent).toContain("The agent has this prompt already.");
  });

  it("says nothing once another turn has begun", () => {
    open(
      {},
      stopped({
        turns: [turn({ state: "aborted" }), turn({ id: "trn_2", created_at: "2026-01-02T00:00:00Z" })],
      }),
    );
    expect(screen.queryByTestId("queued")).toBeNull();
  });
});
