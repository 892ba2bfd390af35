import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Conversation } from "../../src/conversation/Conversation";
import { message, part, session, snapshot, turn } from "../support/builders";
import { renderInSession, serve } from "../support/render";

const BOTH = ["trn_1", "trn_2"];
const prompt = (id: string, turnId: string) => message({ id, turn_id: turnId, role: "user" });
const ended = { state: "completed", ended_at: "2026-01-01T12:00:05Z" } as const;

const shot = (over = {}) =>
  snapshot({
    session: session({ status: "idle" }),
    turns: [turn({ id: "trn_1", ...ended }), turn({ id: "trn_2", ...ended })],
    messages: [
      prompt("msg_1", "trn_1"),
      message({ id: "msg_2", turn_id: "trn_1" }),
      prompt("msg_3", "trn_2"),
      message({ id: "msg_4", turn_id: "trn_2" }),
    ],
    parts: [
      part({ id: "prt_1", message_id: "msg_1", text: "Tea?" }),
      part({ id: "prt_2", message_id: "msg_2", text: "Green." }),
      part({ id: "prt_3", message_id: "msg_3", text: "Tea?" }),
      part({ id: "prt_4", message_id: "msg_4", text: "Black." }),
    ],
    alternatives: [
      { id: "trn_1", turn_ids: BOTH, hidden_with_id: "trn_1" },
      { id: "trn_2", turn_ids: BOTH, hidden_with_id: null },
    ],
    ...over,
  });

afterEach(() => vi.unstubAllGlobals());

const STATE = { mode: 33188, size: 1, sha256: "a".repeat(64), stored: true };
const CONFLICT = {
  path: "a.txt",
  status: "conflict",
  reason: "others",
  before: STATE,
  after: null,
  patch: "",
};

function open(over = {}, files: object[] = []) {
  const asked = serve({
    "POST /api/v1/sessions/ses_1/revert/preview": {
      body: { files, hidden: 2, background: 0, others: 0, not_covered: ["Contents of more than 2 MiB."] },
    },
    "POST /api/v1/sessions/ses_1/revert": { body: { state: "applied", files: [], error: "" } },
    "POST /api/v1/turns/trn_1/choose": { body: {} },
    "POST /api/v1/turns/trn_2/retry": { status: 202, body: {} },
    "POST /api/v1/messages/msg_3/edit": { status: 202, body: { session_id: "ses_1" } },
  });
  renderInSession(<Conversation />, shot(over));
  return asked;
}

async function openTryAgain(): Promise<HTMLButtonElement> {
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  const dialog = within(screen.getByRole("dialog", { name: "Try again" }));
  return dialog.getByRole<HTMLButtonElement>("button", { name: "Try again" });
}

const paths = (asked: ReturnType<typeof open>) =>
  asked.filter(({ method }) => method === "POST").map(({ path }) => path);

describe("several answers to one prompt", () => {
  it("show the chosen one, and which it is", () => {
    open();
    expect(screen.getByText("Answer 2 of 2")).toBeDefined();
    expect(screen.queryByText("Green.")).toBeNull();
    expect(screen.getByText("Black.")).toBeDefined();
  });

  it("are switched by people who can act", async () => {
    const asked = open();
    expect(screen.getByRole("button", { name: "Choose the next answer" })).toHaveProperty("disabled", true);
    await userEvent.click(screen.getByRole("button", { name: "Choose the answer before" }));
    expect(paths(asked)).toEqual(["/api/v1/sessions/ses_1/revert/preview", "/api/v1/turns/trn_1/choose"]);
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("bring their files, after conflicts are decided", async () => {
    const asked = open({}, [CONFLICT]);
    await userEvent.click(screen.getByRole("button", { name: "Choose the answer before" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Continue from this answer" }));
    const go = dialog.getByRole("button", { name: "Continue" });
    expect(await dialog.findByText("Contents of more than 2 MiB.")).toBeDefined();
    expect(go).toHaveProperty("disabled", true);
    await userEvent.click(dialog.getByRole("radio", { name: "Restore it to the state after the answer" }));
    await userEvent.click(go);
    expect(asked.find(({ path }) => path.endsWith("/revert"))?.body).toEqual({
      answer_id: "trn_1",
      paths: [],
      decisions: [{ path: "a.txt", decision: "take_back", seen: STATE }],
    });
    expect(paths(asked)).not.toContain("/api/v1/turns/trn_1/choose");
  });

  it("are chosen without their files, if that is chosen", async () => {
    const asked = open({}, [CONFLICT]);
    await userEvent.click(screen.getByRole("button", { name: "Choose the answer before" }));
    await userEvent.click(await screen.findByRole("radio", { name: /Leave the files as they are/ }));
    await userEvent.click(screen.getByRole("button", { name: "Continue" }));
    expect(paths(asked)).toContain("/api/v1/turns/trn_1/choose");
    expect(paths(asked)).not.toContain("/api/v1/sessions/ses_1/revert");
  });

  it("are read beside each other by everybody, and only switched by those who can act", async () => {
    open({ can_act: false });
    await userEvent.click(screen.getByRole("button", { name: "Show the others" }));
    const other = within(screen.getByRole("region", { name: "Answer 1" }));
    expect(other.getByText("Green.")).toBeDefined();
    expect(screen.queryByRole("button", { name: "Continue from this answer" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
    expect(screen.getByRole("button", { name: "Choose the answer before" })).toHaveProperty("disabled", true);
  });

  it("are not switched while the agent works", () => {
    open({ session: session({ status: "running" }) });
    expect(screen.getByRole("button", { name: "Choose the answer before" })).toHaveProperty("disabled", true);
    expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
  });

  it("are made by trying again", async () => {
    const asked = open({}, [CONFLICT]);
    const retry = await openTryAgain();
    expect(await screen.findByText("Contents of more than 2 MiB.")).toBeDefined();
    expect(asked.find(({ path }) => path.endsWith("/preview"))?.body).toMatchObject({ message_id: "msg_3" });
    expect(retry.disabled).toBe(true);
    await userEvent.click(screen.getByRole("radio", { name: "Keep it as it is" }));
    await userEvent.click(retry);
    expect(asked.find(({ path }) => path.endsWith("/retry"))?.body).toEqual({
      files: "then",
      decisions: [{ path: "a.txt", decision: "keep", seen: STATE }],
    });
  });

  it("are made with the files as they are, if that is chosen", async () => {
    const asked = open();
    const retry = await openTryAgain();
    await userEvent.click(screen.getByRole("radio", { name: /Leave them as they are/ }));
    await userEvent.click(retry);
    expect(asked.find(({ path }) => path.endsWith("/retry"))?.body).toEqual({ files: "now", decisions: [] });
  });
});

describe("a prompt that is edited", () => {
  it("is answered here unless a new session is chosen", async () => {
    const asked = open();
    await userEvent.click(screen.getByRole("button", { name: "Edit this prompt" }));
    const box = screen.getByLabelText("Prompt");
    await userEvent.clear(box);
    expect(screen.getByRole("button", { name: "Send" })).toHaveProperty("disabled", true);
    await userEvent.type(box, "Coffee?");
    expect(await screen.findByText("Contents of more than 2 MiB.")).toBeDefined();
    await userEvent.click(screen.getByRole("button", { name: "Send" }));
    const sent = asked.find(({ path }) => path.endsWith("/edit"));
    expect(sent?.body).toEqual({
      text: "Coffee?",
      where: "here",
      workspace: "copy",
      files: "then",
      decisions: [],
    });
  });

  it.each([
    [/same workspace/, { workspace: "same", files: "now" }],
    [/session with the files as they were/, { workspace: "copy", files: "then" }],
    [/session with the files as they are now/, { workspace: "copy", files: "now" }],
  ])("is answered in a fork if that is chosen", async (name, expected) => {
    const asked = open();
    await userEvent.click(screen.getByRole("button", { name: "Edit this prompt" }));
    await userEvent.click(screen.getByRole("radio", { name }));
    await userEvent.click(screen.getByRole("button", { name: "Send" }));
    const sent = asked.find(({ path }) => path.endsWith("/edit"));
    expect(sent?.body).toEqual({ text: "Tea?", where: "fork", decisions: [], ...expected });
  });
});
