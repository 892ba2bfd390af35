import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { connectSession, type SessionConnection } from "../../src/store/session";
import { reconnectDelay } from "../../src/store/socket";
import { at, call, event, message, part, request, session, snapshot, turn } from "../support/builders";
import { FakeSocket } from "../support/socket";

let connection: SessionConnection;
const onSignedOut = vi.fn();
const onRefused = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.all = [];
  onSignedOut.mockReset();
  onRefused.mockReset();
  vi.stubGlobal("WebSocket", FakeSocket);
  connection = connectSession("ses_1", { onSignedOut, onRefused });
});

afterEach(() => {
  connection.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const state = () => connection.store.getState();

function openWith(shot = snapshot()) {
  FakeSocket.last().accept();
  FakeSocket.last().say({ type: "snapshot", snapshot: shot });
}

function nextSocket(): FakeSocket {
  const before = FakeSocket.all.length;
  vi.advanceTimersByTime(20_000);
  expect(FakeSocket.all.length).toBe(before + 1);
  return FakeSocket.last();
}

describe("a session's connection", () => {
  it("greets without a position and shows the snapshot", () => {
    openWith();
    expect(FakeSocket.last().url).toMatch(/^ws:\/\/.*\/ws\/sessions\/ses_1$/);
    expect(FakeSocket.last().sent[0]).toMatchObject({ type: "hello", after: null });
    expect(state()).toMatchObject({ link: "live", seq: 10, session: { title: "A session" } });
  });

  it("comes back with its last position", () => {
    openWith();
    FakeSocket.last().say(event(11, "turn.updated", turn()));
    FakeSocket.last().end(1006);
    expect(state().link).toBe("reconnecting");
    const again = nextSocket();
    again.accept();
    expect(again.sent[0]).toMatchObject({ type: "hello", after: 11 });
    again.say(event(12, "turn.updated", turn({ state: "completed" })));
    expect(state()).toMatchObject({ link: "live", seq: 12, turns: { trn_1: { state: "completed" } } });
  });

  it("also comes back when it was too slow", () => {
    openWith();
    FakeSocket.last().end(4408);
    nextSocket().accept();
    expect(FakeSocket.last().sent[0]).toMatchObject({ after: 10 });
  });

  it("connects again when the network is back, because a connection from before may be dead", () => {
    const first = FakeSocket.last();
    first.accept();
    window.dispatchEvent(new Event("online"));
    expect(FakeSocket.last()).toBe(first);
    window.dispatchEvent(new Event("offline"));
    expect(state().link).toBe("offline");
    window.dispatchEvent(new Event("online"));
    expect(FakeSocket.last()).not.toBe(first);
    FakeSocket.last().accept();
    expect(state().link).toBe("live");
  });

  it("says offline after several failed tries, and goes on trying", () => {
    for (let tries = 0; tries < 5; tries += 1) {
      FakeSocket.last().end(1006);
      if (tries < 4) nextSocket();
    }
    expect(state().link).toBe("offline");
    expect(onRefused).toHaveBeenCalledTimes(5);
    nextSocket().accept();
    expect(state().link).toBe("live");
  });

  it("tries at once when the network is back", () => {
    openWith();
    FakeSocket.last().end(1006);
    const before = FakeSocket.all.length;
    window.dispatchEvent(new Event("online"));
    expect(FakeSocket.all.length).toBe(before + 1);
  });

  it("stops for good when nobody is signed in", () => {
    openWith();
    FakeSocket.last().end(4401);
    vi.advanceTimersByTime(60_000);
    expect(FakeSocket.all.length).toBe(1);
    expect(onSignedOut).toHaveBeenCalledOnce();
  });

  it("stops for good when there is no such session", () => {
    FakeSocket.last().accept();
    FakeSocket.last().end(4404);
    vi.advanceTimersByTime(60_000);
    expect(state().ended).toBe("unknown");
    expect(FakeSocket.all.length).toBe(1);
  });

  it("notices a dead line by a missing pong", () => {
    openWith();
    vi.advanceTimersByTime(15_000);
    expect(FakeSocket.last().frames("ping")).toHaveLength(1);
    vi.advanceTimersByTime(10_000);
    expect(state().link).toBe("reconnecting");
  });

  it("stays when pongs come", () => {
    openWith();
    for (let round = 0; round < 4; round += 1) {
      vi.advanceTimersByTime(15_000);
      FakeSocket.last().say({ type: "pong", id: "ping" });
    }
    vi.advanceTimersByTime(9_000);
    expect(state().link).toBe("live");
    expect(FakeSocket.all.length).toBe(1);
  });

  it("greets again once, with its position, when events are missing", () => {
    openWith();
    const socket = FakeSocket.last();
    for (const seq of [13, 14, 15]) socket.say(event(seq, "turn.updated", turn()));
    expect(socket.frames("hello").map((frame) => frame.after)).toEqual([null, 10]);
    for (const seq of [11, 12, 13]) socket.say(event(seq, "turn.updated", turn()));
    expect(state().seq).toBe(13);
    socket.say(event(20, "turn.updated", turn()));
    expect(socket.frames("hello").map((frame) => frame.after)).toEqual([null, 10, 13]);
  });

  it("greets again when the missing events do not come", () => {
    openWith();
    FakeSocket.last().say(event(13, "turn.updated", turn()));
    vi.advanceTimersByTime(2_500);
    FakeSocket.last().say(event(14, "turn.updated", turn()));
    expect(FakeSocket.last().frames("hello")).toHaveLength(3);
  });

  it("asks for a part whose text has a gap, and again while the saved text lags", () => {
    openWith(snapshot({ messages: [message({ state: "streaming" })], parts: [part({ text: "a" })] }));
    const socket = FakeSocket.last();
    socket.say({ type: "delta", target: "part", id: "prt_1", offset: 3, text: "d" });
    const asked = socket.frames("part.get")[0];
    expect(asked).toMatchObject({ part_id: "prt_1" });
    socket.say({ type: "ack", id: asked?.id, data: part({ text: "ab" }) });
    expect(state().parts.prt_1?.text).toBe("ab");
    vi.advanceTimersByTime(500);
    socket.say({ type: "ack", id: socket.frames("part.get")[1]?.id, data: part({ text: "abc" }) });
    expect(state().parts.prt_1?.text).toBe("abcd");
  });

  it("gives up on a gap that never closes", () => {
    openWith(snapshot({ messages: [message({ state: "streaming" })], parts: [part()] }));
    const socket = FakeSocket.last();
    socket.say({ type: "delta", target: "part", id: "prt_1", offset: 9, text: "x" });
    for (let round = 0; round < 12; round += 1) {
      const asked = socket.frames("part.get");
      socket.say({ type: "ack", id: asked[asked.length - 1]?.id, data: part() });
      vi.advanceTimersByTime(500);
    }
    expect(state().waitingDeltas).toEqual({});
    expect(socket.frames("part.get").length).toBeLessThan(10);
  });

  it("asks for a call by its own frame", () => {
    openWith();
    FakeSocket.last().say({ type: "delta", target: "call", id: "call_7", offset: 0, text: "x" });
    expect(FakeSocket.last().frames("call.get")[0]).toMatchObject({ call_id: "call_7" });
  });

  it("survives garbage", () => {
    openWith();
    for (const rubbish of ["{", "null", "7", "[]", '"x"', "{}"]) FakeSocket.last().say(rubbish);
    expect(state().seq).toBe(10);
  });

  it("counts from the first snapshot, before which there is nothing to read", () => {
    expect(state()).toMatchObject({ filesVersion: 0, reviewVersion: 0 });
    openWith();
    expect(state()).toMatchObject({ filesVersion: 1, reviewVersion: 1 });
  });

  it("counts what may have changed files", () => {
    openWith();
    const before = state().filesVersion;
    FakeSocket.last().say(event(11, "call.updated", call({ tool: "read" })));
    FakeSocket.last().say(event(12, "call.updated", call({ tool: "edit", state: "running" })));
    expect(state().filesVersion).toBe(before);
    FakeSocket.last().say(event(13, "call.updated", call({ tool: "edit" })));
    FakeSocket.last().say(event(14, "call.updated", call({ tool: "tracker_export" })));
    expect(state().filesVersion).toBe(before + 2);
  });

  it("counts that files were taken back and brought back", () => {
    openWith();
    const before = state().filesVersion;
    const revert = {
      id: "rev_1",
      state: "applied",
      message_id: null,
      turn_id: "trn_1",
      hidden: 0,
      files: 1,
      undoing: false,
      error: "",
      by: "Dana",
    } as const;
    FakeSocket.last().say(event(11, "session.updated", session({ revert })));
    FakeSocket.last().say(event(12, "session.updated", session({ revert, title: "Other" })));
    expect(state().filesVersion).toBe(before + 1);
    FakeSocket.last().say(event(13, "session.updated", session()));
    expect(state().filesVersion).toBe(before + 2);
  });

  it("shows an answer at once, but never over a settled one", () => {
    openWith(snapshot({ permission_requests: [request()] }));
    connection.showRequest(request({ state: "once", settled_at: at(3) }));
    expect(state().requests.per_1?.state).toBe("once");
    connection.showRequest(request({ state: "open" }));
    expect(state().requests.per_1?.state).toBe("once");
  });

  it("does not take an older view of the session over a newer one", () => {
    openWith(snapshot({ session: session({ last_seq: 9, title: "Newer" }) }));
    connection.showSession(session({ last_seq: 4, title: "Older" }));
    expect(state().session?.title).toBe("Newer");
  });
});

describe("the delay before the next try", () => {
  it("doubles up to a cap", () => {
    const delays = [0, 1, 2, 3, 4, 5, 6, 50].map((attempt) => reconnectDelay(attempt, () => 1));
    expect(delays).toEqual([400, 800, 1600, 3200, 6400, 12_800, 15_000, 15_000]);
  });

  it("has a random half", () => {
    expect(reconnectDelay(2, () => 0)).toBe(800);
    expect(reconnectDelay(2, () => 0.5)).toBe(1200);
  });
});

describe("older messages", () => {
  const page = (older: string | null, id: string) => ({
    ...Object.fromEntries(
      ["turns", "parts", "calls", "permission_requests", "questions", "workspace_notes", "alternatives"].map(
        (name) => [name, []],
      ),
    ),
    messages: [message({ id })],
    older,
  });
  const answer = (status: number, body: unknown) =>
    vi.fn((_request: Request) =>
      Promise.resolve(
        new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } }),
      ),
    );

  it("are loaded page by page until all are here", async () => {
    openWith(snapshot({ older: "msg_3" }));
    expect(FakeSocket.last().sent[0]).toMatchObject({ type: "hello", limit: 50 });
    const fetched = answer(200, page("msg_2", "msg_2"));
    vi.stubGlobal("fetch", fetched);
    await Promise.all([connection.loadOlder(), connection.loadOlder()]);
    expect(fetched).toHaveBeenCalledOnce();
    expect(fetched.mock.calls[0]?.[0].url).toMatch(/\/sessions\/ses_1\/conversation\?before=msg_3$/);
    expect(state()).toMatchObject({ older: "msg_2", isLoadingOlder: false });
    vi.stubGlobal("fetch", answer(200, page(null, "msg_1")));
    await connection.loadOlder();
    expect(Object.keys(state().messages)).toEqual(["msg_1", "msg_2"]);
    const none = answer(200, page(null, "msg_0"));
    vi.stubGlobal("fetch", none);
    await connection.loadOlder();
    expect(none).not.toHaveBeenCalled();
  });

  it("that could not be loaded can be asked for again", async () => {
    openWith(snapshot({ older: "msg_3" }));
    vi.stubGlobal("fetch", answer(503, {}));
    await connection.loadOlder();
    expect(state()).toMatchObject({ older: "msg_3", isLoadingOlder: false, olderError: { status: 503 } });
    vi.stubGlobal("fetch", answer(200, page(null, "msg_2")));
    await connection.loadOlder();
    expect(state()).toMatchObject({ older: null, olderError: null });
  });

  it("of a page that a new snapshot made useless are dropped", async () => {
    openWith(snapshot({ older: "msg_3" }));
    vi.stubGlobal("fetch", answer(200, page(null, "msg_2")));
    const loading = connection.loadOlder();
    FakeSocket.last().say({ type: "snapshot", snapshot: snapshot({ older: "msg_7" }) });
    await loading;
    expect(state()).toMatchObject({ older: "msg_7", messages: {}, isLoadingOlder: false });
  });
});
