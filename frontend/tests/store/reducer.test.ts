import { describe, expect, it } from "vitest";
import type { DeltaFrame, ServerFrame } from "../../src/api/frames";
import { reduceFetched, reduceFrame } from "../../src/store/reducer";
import { emptyState, type SessionState, stateFromSnapshot } from "../../src/store/state";
import {
  at,
  call,
  event,
  message,
  part,
  question,
  request,
  session,
  snapshot,
  turn,
} from "../support/builders";

const streaming = () =>
  stateFromSnapshot(
    snapshot({
      turns: [turn()],
      messages: [message({ state: "streaming" })],
      parts: [part({ text: "Hel" })],
      calls: [call({ state: "running", live_output: "one\n" })],
    }),
  );

const delta = (over: Partial<DeltaFrame> = {}): DeltaFrame => ({
  type: "delta",
  target: "part",
  id: "prt_1",
  offset: 3,
  text: "lo",
  ...over,
});

function play(state: SessionState, ...frames: ServerFrame[]) {
  const effects = [];
  let current = state;
  for (const frame of frames) {
    const step = reduceFrame(current, frame);
    current = step.state;
    effects.push(...step.effects);
  }
  return { state: current, effects };
}

describe("snapshot", () => {
  it("replaces everything, also what waited", () => {
    const before = play(streaming(), delta({ offset: 9 })).state;
    const { state } = play(before, { type: "snapshot", snapshot: snapshot({ seq: 77 }) });
    expect(state).toEqual(stateFromSnapshot(snapshot({ seq: 77 })));
    expect(state.seq).toBe(77);
  });

  it("orders turns and messages by time and parts by index", () => {
    const state = stateFromSnapshot(
      snapshot({
        turns: [turn({ id: "trn_b", created_at: at(5) }), turn({ id: "trn_a", created_at: at(1) })],
        messages: [message({ id: "msg_b", created_at: at(3) }), message({ id: "msg_a", created_at: at(2) })],
        parts: [part({ id: "prt_b", index: 1 }), part({ id: "prt_a", index: 0 })],
      }),
    );
    expect(state.turnIds).toEqual(["trn_a", "trn_b"]);
    expect(state.messageIdsByTurn.trn_1).toEqual(["msg_a", "msg_b"]);
    expect(state.partIdsByMessage.msg_1).toEqual(["prt_a", "prt_b"]);
  });
});

describe("events", () => {
  const ready = () => stateFromSnapshot(snapshot());

  it("mark calls whose output models are not sent any more, and leave the others", () => {
    const calls = [call({ id: "call_1", output: "tea" }), call({ id: "call_2" })];
    const before = stateFromSnapshot(snapshot({ calls }));
    const { state } = play(
      before,
      event((before.seq ?? 0) + 1, "calls.pruned", { call_ids: ["call_1", "call_9"] }),
    );
    expect(Object.values(state.calls).map((each) => [each.id, each.pruned])).toEqual([
      ["call_1", true],
      ["call_2", false],
    ]);
    expect(state.calls.call_1?.output).toBe("tea");
  });

  it("forgets a prompt that was taken back, with its parts", () => {
    const messages = [message({ id: "msg_1" }), message({ id: "msg_2" })];
    const parts = [part({ id: "prt_1", message_id: "msg_1" }), part({ id: "prt_2", message_id: "msg_2" })];
    const before = stateFromSnapshot(snapshot({ messages, parts }));
    const gone = { message_ids: ["msg_2"], part_ids: ["prt_2"] };
    const { state } = play(before, event((before.seq ?? 0) + 1, "messages.removed", gone));
    expect(Object.keys(state.messages)).toEqual(["msg_1"]);
    expect(Object.keys(state.parts)).toEqual(["prt_1"]);
    expect(Object.values(state.messageIdsByTurn)).toEqual([["msg_1"]]);
    expect(Object.keys(state.partIdsByMessage)).toEqual(["msg_1"]);
  });

  it.each([
    ["session.updated", session({ title: "New" }), (state: SessionState) => state.session?.title, "New"],
    ["turn.updated", turn({ state: "failed" }), (state: SessionState) => state.turns.trn_1?.state, "failed"],
    ["message.updated", message(), (state: SessionState) => state.messageIdsByTurn.trn_1, ["msg_1"]],
    ["part.updated", part({ text: "x" }), (state: SessionState) => state.parts.prt_1?.text, "x"],
    ["call.updated", call({ tool: "read" }), (state: SessionState) => state.calls.call_1?.tool, "read"],
    ["permission.asked", request(), (state: SessionState) => state.requests.per_1?.state, "open"],
    [
      "permission.settled",
      request({ state: "once" }),
      (state: SessionState) => state.requests.per_1?.state,
      "once",
    ],
    ["question.asked", question(), (state: SessionState) => state.questions.que_1?.state, "open"],
    [
      "question.settled",
      question({ state: "answered" }),
      (state: SessionState) => state.questions.que_1?.state,
      "answered",
    ],
    [
      "todos.updated",
      { todos: [{ content: "a", status: "pending", priority: "" }] },
      (state: SessionState) => state.todos.length,
      1,
    ],
    [
      "workspace.updated",
      { ...snapshot().workspace, state: "stopped" },
      (state: SessionState) => state.workspace?.state,
      "stopped",
    ],
  ])("%s shows the new view", (type, data, read, expected) => {
    const { state, effects } = play(ready(), event(11, type, data));
    expect(read(state)).toEqual(expected);
    expect(state.seq).toBe(11);
    expect(effects).toEqual([]);
  });

  it("twice changes nothing the second time", () => {
    const once = play(ready(), event(11, "turn.updated", turn())).state;
    expect(play(once, event(11, "turn.updated", turn({ state: "failed" }))).state).toBe(once);
  });

  it("older than the snapshot changes nothing", () => {
    const state = ready();
    expect(play(state, event(3, "turn.updated", turn())).state).toBe(state);
  });

  it("of an unknown type only moves the position", () => {
    const { state } = play(ready(), event(11, "presence.updated", { who: "x" }));
    expect(state).toEqual({ ...ready(), seq: 11 });
  });

  it("named like something every object has is as unknown as any", () => {
    const { state } = play(ready(), event(11, "constructor", {}), event(12, "toString", {}));
    expect(state).toEqual({ ...ready(), seq: 12 });
  });

  it("without data does no harm", () => {
    expect(play(ready(), event(11, "turn.updated", null)).state.seq).toBe(11);
  });

  it("behind a gap is not applied and asks for what is missing", () => {
    const state = ready();
    const step = play(state, event(13, "turn.updated", turn()));
    expect(step.state).toBe(state);
    expect(step.effects).toEqual([{ type: "resync" }]);
  });

  it("is replayed after a gap to the same state as without it", () => {
    const frames = [
      event(11, "turn.updated", turn()),
      event(12, "message.updated", message()),
      event(13, "part.updated", part({ text: "Hi" })),
    ];
    const whole = play(ready(), ...frames).state;
    const gapped = play(
      ready(),
      frames[0] as ServerFrame,
      frames[2] as ServerFrame,
      ...frames.slice(1),
    ).state;
    expect(gapped).toEqual(whole);
  });

  it("before the first snapshot is left to the snapshot", () => {
    expect(play(emptyState, event(1, "turn.updated", turn())).state).toBe(emptyState);
  });

  it("keeps order when a thing arrives late", () => {
    const { state } = play(
      ready(),
      event(11, "turn.updated", turn({ id: "trn_2", created_at: at(9) })),
      event(12, "turn.updated", turn({ id: "trn_1", created_at: at(1) })),
      event(13, "part.updated", part({ id: "prt_9", index: 9 })),
      event(14, "part.updated", part({ id: "prt_2", index: 2 })),
    );
    expect(state.turnIds).toEqual(["trn_1", "trn_2"]);
    expect(state.partIdsByMessage.msg_1).toEqual(["prt_2", "prt_9"]);
  });

  it("leaves what it does not concern untouched, so that nothing else is drawn again", () => {
    const before = streaming();
    const { state } = play(before, event(11, "call.updated", call({ state: "completed" })));
    expect(state.parts).toBe(before.parts);
    expect(state.messages).toBe(before.messages);
    expect(state.turns).toBe(before.turns);
  });
});

describe("saved text that lags behind streamed text", () => {
  it("never shortens a part that still streams", () => {
    const { state } = play(streaming(), delta(), event(11, "part.updated", part({ text: "Hel" })));
    expect(state.parts.prt_1?.text).toBe("Hello");
  });

  it("replaces it when it says something else", () => {
    const { state } = play(streaming(), delta(), event(11, "part.updated", part({ text: "Other" })));
    expect(state.parts.prt_1?.text).toBe("Other");
  });

  it("is the truth once the message is complete", () => {
    const { state } = play(
      streaming(),
      delta(),
      event(11, "message.updated", message({ state: "complete" })),
      event(12, "part.updated", part({ text: "Hel" })),
    );
    expect(state.parts.prt_1?.text).toBe("Hel");
  });

  it("never shortens the output of a running call", () => {
    const { state } = play(
      streaming(),
      delta({ target: "call", id: "call_1", offset: 4, text: "two\n" }),
      event(11, "call.updated", call({ state: "running", live_output: "one\n" })),
    );
    expect(state.calls.call_1?.live_output).toBe("one\ntwo\n");
  });

  it("is cleared when the call ends", () => {
    const { state } = play(streaming(), event(11, "call.updated", call({ output: "all", live_output: "" })));
    expect(state.calls.call_1).toMatchObject({ output: "all", live_output: "" });
  });
});

describe("deltas", () => {
  it("append to a part and to a call's live output", () => {
    const { state, effects } = play(
      streaming(),
      delta(),
      delta({ target: "call", id: "call_1", offset: 4, text: "two\n" }),
    );
    expect(state.parts.prt_1?.text).toBe("Hello");
    expect(state.calls.call_1?.live_output).toBe("one\ntwo\n");
    expect(effects).toEqual([]);
  });

  it("count code points, not UTF-16 units", () => {
    const start = stateFromSnapshot(
      snapshot({ messages: [message({ state: "streaming" })], parts: [part({ text: "😀" })] }),
    );
    expect(
      play(start, delta({ offset: 1, text: "👍!" }), delta({ offset: 3, text: "." })).state.parts.prt_1?.text,
    ).toBe("😀👍!.");
  });

  it("that came before change nothing", () => {
    const once = play(streaming(), delta()).state;
    expect(play(once, delta(), delta({ offset: 0, text: "He" })).state).toBe(once);
  });

  it("behind a gap ask once for the whole text and wait", () => {
    const { state, effects } = play(
      streaming(),
      delta({ offset: 5, text: " wor" }),
      delta({ offset: 9, text: "ld" }),
    );
    expect(state.parts.prt_1?.text).toBe("Hel");
    expect(effects).toEqual([{ type: "fetch", target: "part", id: "prt_1" }]);
    const fetched = reduceFetched(state, "part", "prt_1", part({ text: "Hello" }));
    expect(fetched.behind).toBe(false);
    expect(fetched.state.parts.prt_1?.text).toBe("Hello world");
    expect(fetched.state.waitingDeltas).toEqual({});
  });

  it("wait on while the saved text has not caught up", () => {
    const gap = play(streaming(), delta({ offset: 9, text: "!" })).state;
    const behind = reduceFetched(gap, "part", "prt_1", part({ text: "Hello" }));
    expect(behind.behind).toBe(true);
    expect(behind.state.parts.prt_1?.text).toBe("Hello");
    const caughtUp = reduceFetched(behind.state, "part", "prt_1", part({ text: "Hello you" }));
    expect(caughtUp).toMatchObject({ behind: false, state: { parts: { prt_1: { text: "Hello you!" } } } });
  });

  it("of a part that is not known yet wait for its event", () => {
    const asked = play(streaming(), delta({ id: "prt_2", offset: 0, text: "New" }));
    expect(asked.effects).toEqual([{ type: "fetch", target: "part", id: "prt_2" }]);
    const { state } = play(asked.state, event(11, "part.updated", part({ id: "prt_2", index: 1 })));
    expect(state.parts.prt_2?.text).toBe("New");
    expect(state.waitingDeltas).toEqual({});
  });

  it("that contradict the text ask for it", () => {
    const { effects } = play(streaming(), delta({ offset: 1, text: "XYZ" }));
    expect(effects).toEqual([{ type: "fetch", target: "part", id: "prt_1" }]);
  });

  it("are forgotten when the thing cannot be had", () => {
    const gap = play(streaming(), delta({ offset: 8 })).state;
    expect(reduceFetched(gap, "part", "prt_1", null)).toMatchObject({
      behind: false,
      state: { waitingDeltas: {} },
    });
  });

  it("of an ended call are too late to matter", () => {
    const ended = stateFromSnapshot(snapshot({ calls: [call({ output: "all" })] }));
    const step = play(ended, delta({ target: "call", id: "call_1", offset: 50, text: "late" }));
    expect(step.state).toBe(ended);
    expect(step.effects).toEqual([]);
  });

  it("before the first snapshot are left to the snapshot", () => {
    expect(play(emptyState, delta())).toEqual({ state: emptyState, effects: [] });
  });

  it("draw only their own part again", () => {
    const before = stateFromSnapshot(
      snapshot({
        messages: [message({ state: "streaming" })],
        parts: [part({ text: "Hel" }), part({ id: "prt_2", index: 1, text: "other" })],
      }),
    );
    const { state } = play(before, delta());
    expect(state.parts.prt_2).toBe(before.parts.prt_2);
    expect(state.partIdsByMessage).toBe(before.partIdsByMessage);
  });
});

it("acks, errors, pongs and frames of the future leave the state alone", () => {
  const state = streaming();
  const frames = [
    { type: "ack", id: "1" },
    { type: "error", error: { code: "x", message: "", hint: "" } },
    { type: "pong", id: "2" },
    { type: "presence", who: [] },
  ] as ServerFrame[];
  expect(play(state, ...frames).state).toBe(state);
});
