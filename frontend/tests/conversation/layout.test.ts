import { describe, expect, it } from "vitest";
import {
  answerText,
  foldable,
  isQueued,
  layoutTurn,
  messageText,
  outlineOf,
  parseItem,
  showsProgress,
} from "../../src/conversation/layout";
import { stateFromSnapshot } from "../../src/store/state";
import { at, call, message, part, snapshot, turn } from "../support/builders";

/** A turn whose steps are lists of tools; each tool is "name" or "name:state". */
function turnOf(...steps: string[][]) {
  const messages = [message({ id: "msg_0", role: "user", created_at: at(0) })];
  const parts = [part({ id: "prt_0", message_id: "msg_0", text: "Do it" })];
  const calls = [];
  let number = 0;
  for (const [step, tools] of steps.entries()) {
    const messageId = `msg_${step + 1}`;
    messages.push(message({ id: messageId, created_at: at(step + 1) }));
    for (const [index, word] of tools.entries()) {
      number += 1;
      const [tool = "", state = "completed"] = word.split(":");
      const id = `${number}`;
      if (tool === "text" || tool === "reasoning") {
        parts.push(
          part({ id, message_id: messageId, index, type: tool, text: state === "empty" ? " " : "words" }),
        );
      } else {
        parts.push(part({ id: `p${id}`, message_id: messageId, index, type: "tool", call_id: id }));
        calls.push(call({ id, tool, state: state as "completed", message_id: messageId }));
      }
    }
  }
  return stateFromSnapshot(snapshot({ turns: [turn()], messages, parts, calls }));
}

const keys = (...steps: string[][]) => layoutTurn(turnOf(...steps), "trn_1").slice(1);

describe("the rows of a turn", () => {
  it("begin with what the person wrote", () => {
    expect(layoutTurn(turnOf([]), "trn_1")).toEqual(["user:msg_0"]);
  });

  it("fold a run of reads and searches, also across steps", () => {
    expect(keys(["list", "read"], ["grep"], ["edit"])).toEqual(["explore:1,2,3", "tool:4"]);
  });

  it("do not fold a single read", () => {
    expect(keys(["read"], ["edit"])).toEqual(["tool:1", "tool:2"]);
  });

  it("end a run at words of the agent", () => {
    expect(keys(["read", "read"], ["text", "read", "glob"])).toEqual([
      "explore:1,2",
      "text:3",
      "explore:4,5",
    ]);
  });

  it("keep a failed or waiting read by itself", () => {
    expect(keys(["read", "read:error", "read:waiting"])).toEqual(["tool:1", "tool:2", "tool:3"]);
  });

  it("leave out parts without words", () => {
    expect(keys(["text:empty", "reasoning:empty", "bash"])).toEqual(["tool:3"]);
  });

  it("say that an answer was cut off", () => {
    const state = stateFromSnapshot(
      snapshot({ turns: [turn()], messages: [message({ state: "interrupted" })] }),
    );
    expect(layoutTurn(state, "trn_1")).toEqual(["interrupted:msg_1"]);
  });

  it("say nothing of an answer that never began", () => {
    const shot = snapshot({
      turns: [turn({ state: "failed", ended_at: at(9) })],
      messages: [message({ state: "interrupted" })],
      parts: [part({ type: "retry" })],
    });
    expect(layoutTurn(stateFromSnapshot(shot), "trn_1")).toEqual([]);
  });

  it("show a failed try until the next one begins or the turn ends", () => {
    const failed = message({ state: "interrupted" });
    const shot = (over: Parameters<typeof turn>[0], ...later: ReturnType<typeof message>[]) =>
      stateFromSnapshot(
        snapshot({ turns: [turn(over)], messages: [failed, ...later], parts: [part({ type: "retry" })] }),
      );
    expect(layoutTurn(shot({}), "trn_1")).toEqual(["retry:prt_1"]);
    expect(layoutTurn(shot({}, message({ id: "msg_2" })), "trn_1")).toEqual([]);
    expect(layoutTurn(shot({ state: "failed", ended_at: at(9) }), "trn_1")).toEqual([]);
  });

  it("keep saying that another model continued", () => {
    const data = { attempt: 1, message: "The key is refused.", model: "a/x", next: "b/y" };
    const shot = snapshot({
      turns: [turn({ state: "completed", ended_at: at(9) })],
      messages: [message({ state: "interrupted" }), message({ id: "msg_2", model: "b/y" })],
      parts: [part({ type: "retry", data })],
    });
    expect(layoutTurn(stateFromSnapshot(shot), "trn_1")).toEqual(["retry:prt_1"]);
  });
});

it("keys are read back", () => {
  expect(parseItem("explore:call_1,call_2")).toEqual({ kind: "explore", ids: ["call_1", "call_2"] });
  expect(parseItem("text:prt_1")).toEqual({ kind: "text", id: "prt_1" });
});

it("the text of a message leaves out reasoning and calls", () => {
  const state = stateFromSnapshot(
    snapshot({
      messages: [message()],
      parts: [
        part({ id: "a", index: 0, type: "reasoning", text: "hm" }),
        part({ id: "b", index: 1, text: "One" }),
        part({ id: "c", index: 2, text: "Two" }),
      ],
    }),
  );
  expect(messageText(state, "msg_1")).toBe("One\n\nTwo");
});

describe("notes of a long conversation", () => {
  it.each(["text", "compaction"] as const)("are one row of their own as %s", (type) => {
    const state = stateFromSnapshot(
      snapshot({
        turns: [turn()],
        messages: [message({ id: "msg_1", agent: "compaction" })],
        parts: [part({ id: "prt_1", message_id: "msg_1", type, text: "We make tea." })],
      }),
    );
    expect(layoutTurn(state, "trn_1")).toEqual(["compaction:prt_1"]);
  });
});

describe("progress", () => {
  it("is shown by a running call, but not by an ended one", () => {
    expect(showsProgress(turnOf(["bash:running"]), "trn_1", "tool:1")).toBe(true);
    expect(showsProgress(turnOf(["bash"]), "trn_1", "tool:1")).toBe(false);
  });

  it("is not shown by the prompt", () => {
    expect(showsProgress(turnOf([]), "trn_1", "user:msg_0")).toBe(false);
  });
});

describe("the fold of a turn", () => {
  it("hides work that went well, and keeps the prompt, failures and the last words", () => {
    const state = turnOf(["reasoning", "text", "read", "grep"], ["bash:error", "edit"], ["text"]);
    const all = layoutTurn(state, "trn_1");
    const hidden = foldable(state, all);
    expect(all.filter((key) => !hidden.has(key))).toEqual(["user:msg_0", "tool:5", "text:7"]);
  });

  it("says what happened in it", () => {
    const plain = turnOf(["read", "grep"], ["edit"]);
    const edit = call({ id: "3", tool: "edit", arguments: { filePath: "/workspace/a.py" } });
    const state = { ...plain, calls: { ...plain.calls, "3": edit } };
    expect(outlineOf(state, layoutTurn(state, "trn_1"))).toBe("3 calls, 1 file changed");
  });
});

it("copies what the agent wrote, without its reasoning", () => {
  expect(answerText(turnOf(["reasoning", "text", "bash"], ["text"]), "trn_1")).toBe("words\n\nwords");
});

it("calls a prompt queued until a step begins after it", () => {
  const asked = message({ id: "msg_8", role: "user", created_at: at(8) });
  const running = snapshot({
    turns: [turn({ state: "running" })],
    messages: [
      message({ id: "msg_0", role: "user", created_at: at(0) }),
      message({ id: "msg_1", created_at: at(1) }),
      asked,
    ],
  });
  expect(isQueued(stateFromSnapshot(running), "msg_8")).toBe(true);
  expect(isQueued(stateFromSnapshot(running), "msg_0")).toBe(false);
  const read = { ...running, messages: [...running.messages, message({ id: "msg_9", created_at: at(9) })] };
  expect(isQueued(stateFromSnapshot(read), "msg_8")).toBe(false);
});
