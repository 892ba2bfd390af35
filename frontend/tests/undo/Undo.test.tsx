import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Conversation } from "../../src/conversation/Conversation";
import { TurnEnd } from "../../src/conversation/TurnEnd";
import { reduceFrame } from "../../src/store/reducer";
import { stateFromSnapshot } from "../../src/store/state";
import { RevertBar } from "../../src/undo/RevertBar";
import { message, part, session, snapshot, turn } from "../support/builders";
import { renderInSession, serve } from "../support/render";

const REVERT = "POST /api/v1/sessions/ses_1/revert";
const PREVIEW = "POST /api/v1/sessions/ses_1/revert/preview";
const STATE = { mode: 33188, size: 1, sha256: "a".repeat(64), stored: true };
const file = (over: object) => ({
  path: "a.txt",
  status: "clean",
  reason: "",
  before: STATE,
  after: null,
  patch: "",
  ...over,
});
const preview = (files: object[]) => ({
  body: { files, hidden: 2, background: 1, others: 0, not_covered: ["Contents of more than 2 MiB."] },
});
const revert = (over: object = {}) => ({
  id: "rev_1",
  state: "applied",
  message_id: "msg_1",
  turn_id: null,
  hidden: 2,
  files: 1,
  undoing: false,
  error: "",
  by: "Ada",
  ...over,
});
const WHOLE = {
  turns: [turn({ state: "completed" })],
  messages: [message({ id: "msg_1", role: "user" }), message({ id: "msg_2" })],
  parts: [part({ id: "prt_1", message_id: "msg_1", type: "text", text: "Change it." })],
};

afterEach(() => vi.unstubAllGlobals());

describe("undoing a turn", () => {
  it("shows files and what is not covered, and is sent once conflicts are decided", async () => {
    const asked = serve({
      [PREVIEW]: preview([file({}), file({ path: "b.txt", status: "conflict", reason: "others" })]),
      [REVERT]: { body: { ...revert(), undoes_id: null, files: [], not_covered: [], by: null } },
    });
    renderInSession(<TurnEnd turnId="trn_1" latest={true} />, snapshot(WHOLE));
    fireEvent.click(screen.getByRole("button", { name: "Undo this turn" }));
    expect(await screen.findByText("b.txt")).toBeDefined();
    expect(screen.getByText("Contents of more than 2 MiB.")).toBeDefined();
    expect(screen.getByText(/background command may change/)).toBeDefined();
    const undo = screen.getByRole<HTMLButtonElement>("button", { name: "Undo" });
    expect(undo.disabled).toBe(true);
    fireEvent.click(screen.getByRole("radio", { name: "Keep it as it is" }));
    fireEvent.click(undo);
    await waitFor(() => expect(asked.some((one) => one.path.endsWith("/revert"))).toBe(true));
    expect(asked.find((one) => one.path.endsWith("/revert"))?.body).toEqual({
      message_id: "msg_1",
      paths: [],
      decisions: [{ path: "b.txt", decision: "keep", seen: STATE }],
    });
  });

  it("takes single files and single changes of a file back", async () => {
    const change = (path: string, status: string) => ({
      path,
      status,
      before: STATE,
      after: STATE,
      shared: false,
    });
    const patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n@@ -9 +9 @@\n-@@ -1 +1 @@\n+ten\n";
    const asked = serve({
      [PREVIEW]: preview([file({})]),
      [REVERT]: { body: { ...revert(), undoes_id: null, files: [], not_covered: [], by: null } },
      "GET /api/v1/sessions/ses_1/file-changes": {
        body: { files: [change("a.txt", "modified"), change("b.txt", "added")], not_covered: [] },
      },
      "GET /api/v1/sessions/ses_1/diff": {
        body: { files: [{ path: "a.txt", status: "modified", patch }], folded: [], more_files: 0 },
      },
    });
    renderInSession(<TurnEnd turnId="trn_1" latest={true} />, snapshot(WHOLE));
    fireEvent.click(screen.getByRole("button", { name: "Undo this turn" }));
    fireEvent.click(screen.getByRole("radio", { name: /Single files/ }));
    fireEvent.click(await screen.findByRole("checkbox", { name: /a\.txt/ }));
    fireEvent.click(await screen.findByRole("checkbox", { name: "Change 1 of 2" }));
    await waitFor(() =>
      expect(asked.at(-1)?.body).toEqual({ turn_id: "trn_1", paths: ["a.txt"], hunks: [1], decisions: [] }),
    );
    const undo = screen.getByRole<HTMLButtonElement>("button", { name: "Undo" });
    await waitFor(() => expect(undo.disabled).toBe(false));
    fireEvent.click(screen.getByRole("checkbox", { name: /b\.txt/ }));
    await waitFor(() => expect(undo.disabled).toBe(false));
    fireEvent.click(undo);
    await waitFor(() => expect(asked.some((one) => one.path.endsWith("/revert"))).toBe(true));
    expect(asked.find((one) => one.path.endsWith("/revert"))?.body).toEqual({
      turn_id: "trn_1",
      paths: ["a.txt", "b.txt"],
      decisions: [],
    });
  });

  it.each([
    ["who may only look", { ...WHOLE, can_act: false }],
    ["while the agent works", { ...WHOLE, session: session({ status: "running" }) }],
  ])("is not offered to %s", (_who, given) => {
    serve({});
    renderInSession(<TurnEnd turnId="trn_1" latest={true} />, snapshot(given));
    expect(screen.queryByRole("button", { name: /Undo/ })).toBeNull();
  });
});

describe("a revert in force", () => {
  it("is said above the composer, with a way to redo it", () => {
    serve({});
    renderInSession(<RevertBar />, snapshot({ ...WHOLE, session: session({ revert: revert() as never }) }));
    expect(screen.getByText(/2 messages hidden, 1 file taken back/)).toBeDefined();
    expect(screen.getByRole("button", { name: "Redo" })).toBeDefined();
  });

  it("hides its messages", () => {
    serve({});
    const hidden = { ...WHOLE, messages: WHOLE.messages.map((one) => ({ ...one, reverted: true })) };
    renderInSession(<Conversation />, snapshot(hidden));
    expect(screen.queryByText("Change it.")).toBeNull();
  });

  it("marks and unmarks messages by events", () => {
    const state = stateFromSnapshot(snapshot(WHOLE));
    const data = { message_ids: ["msg_2", "msg_9"], reverted: true };
    const frame = {
      type: "event",
      session_id: "ses_1",
      seq: (state.seq ?? 0) + 1,
      event_type: "messages.reverted",
      data,
      at: "2026-01-01T00:00:00Z",
    } as never;
    const marked = reduceFrame(state, frame).state;
    expect([marked.messages.msg_1?.reverted, marked.messages.msg_2?.reverted]).toEqual([false, true]);
  });
});
