import { describe, expect, it } from "vitest";
import type { ServerFrame } from "../../src/api/frames";
import type { ConversationPage } from "../../src/api/types";
import { layoutTurn } from "../../src/conversation/layout";
import { addOlder } from "../../src/store/older";
import { reduceFrame } from "../../src/store/reducer";
import { type SessionState, stateFromSnapshot } from "../../src/store/state";
import { at, call, event, message, note, part, request, snapshot, turn } from "../support/builders";

/** Two turns; the second and the end of the first are loaded. */
const first = turn({ id: "trn_1", state: "completed", created_at: at(0), ended_at: at(5) });
const second = turn({ id: "trn_2", created_at: at(10) });
const shown = stateFromSnapshot(
  snapshot({
    older: "msg_3",
    turns: [first, second],
    messages: [
      message({ id: "msg_3", turn_id: "trn_1", created_at: at(3) }),
      message({ id: "msg_5", turn_id: "trn_2", created_at: at(11) }),
    ],
    parts: [
      part({ id: "prt_3", message_id: "msg_3", text: "the end" }),
      part({ id: "prt_5", message_id: "msg_5", text: "next" }),
    ],
  }),
);

const page = (over: Partial<ConversationPage> = {}): ConversationPage => ({
  turns: [first],
  messages: [
    message({ id: "msg_1", role: "user", created_at: at(1) }),
    message({ id: "msg_2", created_at: at(2) }),
  ],
  parts: [
    part({ id: "prt_1", message_id: "msg_1", text: "Do it" }),
    part({ id: "prt_2", message_id: "msg_2", type: "tool", call_id: "call_2" }),
  ],
  calls: [call({ id: "call_2", message_id: "msg_2", part_id: "prt_2", created_at: at(2) })],
  permission_requests: [request({ id: "per_2", call_id: "call_2", state: "once" })],
  questions: [],
  workspace_notes: [note()],
  alternatives: [],
  older: null,
  ...over,
});

const apply = (state: SessionState, ...frames: ServerFrame[]) =>
  frames.reduce((now, frame) => reduceFrame(now, frame).state, state);

describe("older messages", () => {
  it("are put above those of their turn", () => {
    const state = addOlder(shown, page());
    expect(state.older).toBeNull();
    expect(state.turnIds).toEqual(["trn_1", "trn_2"]);
    expect(layoutTurn(state, "trn_1")).toEqual(["user:msg_1", "note:wnt_1", "tool:call_2", "text:prt_3"]);
    expect(state.requests.per_2?.state).toBe("once");
    expect(layoutTurn(state, "trn_2")).toEqual(layoutTurn(shown, "trn_2"));
  });

  it("put turns of their own above those that were shown", () => {
    const begin = turn({ id: "trn_0", created_at: at(-9) });
    const state = addOlder(shown, page({ turns: [begin, first] }));
    expect(state.turnIds).toEqual(["trn_0", "trn_1", "trn_2"]);
  });

  it("do not repeat a message that was shown because it is open", () => {
    const open = apply(shown, event(11, "message.updated", message({ id: "msg_9", created_at: at(19) })));
    const state = addOlder(
      open,
      page({ messages: [message({ id: "msg_9", created_at: at(19) })], parts: [] }),
    );
    expect(state.messageIdsByTurn.trn_1).toEqual(["msg_3", "msg_9"]);
  });
});

describe("an event about a message that is not loaded", () => {
  const late = apply(
    shown,
    event(11, "message.updated", message({ id: "msg_2", created_at: at(2), cost: 7 })),
    event(12, "part.updated", part({ id: "prt_2", message_id: "msg_2", type: "tool", call_id: "call_2" })),
    event(13, "call.updated", call({ id: "call_2", message_id: "msg_2", output: "new" })),
  );

  it("shows nothing", () => {
    expect(layoutTurn(late, "trn_1")).toEqual(layoutTurn(shown, "trn_1"));
    expect(late.seq).toBe(13);
  });

  it("is newer than the page that was requested before", () => {
    const state = addOlder(late, page());
    expect(layoutTurn(state, "trn_1")).toContain("tool:call_2");
    expect(state.calls.call_2?.output).toBe("new");
    expect(state.messages.msg_2?.cost).toBe(7);
  });

  it("does not show its turn before the page has it", () => {
    const begin = turn({ id: "trn_0", created_at: at(-9), state: "completed" });
    const state = apply(shown, event(11, "turn.updated", begin));
    expect(state.turnIds).toEqual(["trn_1", "trn_2"]);
    expect(addOlder(state, page({ turns: [begin] })).turnIds).toEqual(["trn_0", "trn_1", "trn_2"]);
  });

  it("marks its calls as pruned when their page comes", () => {
    const state = apply(shown, event(11, "calls.pruned", { call_ids: ["call_2"] }));
    expect(addOlder(state, page()).calls.call_2?.pruned).toBe(true);
  });

  it("does not hold up a message that is shown at any age", () => {
    const open = stateFromSnapshot(
      snapshot({ older: "msg_3", turns: [turn()], messages: [message({ id: "msg_1" })] }),
    );
    const state = apply(
      open,
      event(11, "part.updated", part({ id: "prt_1", message_id: "msg_1", text: "hi" })),
    );
    expect(layoutTurn(state, "trn_1")).toEqual(["text:prt_1"]);
  });
});
