import { describe, expect, it } from "vitest";
import { layoutTurn } from "../../src/conversation/layout";
import { placeNotes } from "../../src/conversation/notes";
import { stateFromSnapshot } from "../../src/store/state";
import { at, call, message, note, part, snapshot, turn } from "../support/builders";

const FIRST = turn({ id: "trn_1", state: "completed", created_at: at(10), ended_at: at(20) });
const SECOND = turn({ id: "trn_2", created_at: at(30), ended_at: null });

/** Where notes made at these seconds stand, of a first turn from 10 to 20 and a second one from 30 on. */
function places(...seconds: number[]) {
  const notes = seconds.map((second) => note({ id: `at ${second}`, created_at: at(second) }));
  const state = stateFromSnapshot(snapshot({ turns: [FIRST, SECOND], workspace_notes: notes }));
  const { within, after } = placeNotes(state);
  const ids = (where: typeof within) =>
    Object.fromEntries(Object.entries(where).map(([turnId, found]) => [turnId, found.map(({ id }) => id)]));
  return { within: ids(within), after: ids(after) };
}

describe("a word about the workspace", () => {
  it("stands in the turn that went on then", () => {
    expect(places(12, 11, 40)).toEqual({
      within: { trn_1: ["at 11", "at 12"], trn_2: ["at 40"] },
      after: {},
    });
  });

  it("stands between turns when none went on, and before the first", () => {
    expect(places(25, 5)).toEqual({ within: {}, after: { trn_1: ["at 25"], "": ["at 5"] } });
  });

  it("belongs to the turn that runs, not to one that waits behind it", () => {
    const running = turn({ id: "trn_1", created_at: at(10) });
    const queued = turn({ id: "trn_2", state: "queued", created_at: at(12) });
    const state = stateFromSnapshot(
      snapshot({ turns: [running, queued], workspace_notes: [note({ created_at: at(15) })] }),
    );
    expect(Object.keys(placeNotes(state).within)).toEqual(["trn_1"]);
  });
});

const BASH = call({ id: "call_b", part_id: "p3", created_at: at(14) });
const READS = ["call_1", "call_2"].map((id, index) => call({ id, tool: "read", created_at: at(12 + index) }));

/** A turn that read twice, ran two commands and then spoke. */
function rows(...notes: ReturnType<typeof note>[]) {
  return layoutTurn(
    stateFromSnapshot(
      snapshot({
        turns: [turn({ created_at: at(10) })],
        messages: [
          message({ id: "msg_0", role: "user", created_at: at(10) }),
          message({ id: "msg_1", created_at: at(11) }),
          message({ id: "msg_2", created_at: at(20) }),
        ],
        parts: [
          part({ id: "p1", index: 0, type: "tool", call_id: "call_1" }),
          part({ id: "p2", index: 1, type: "tool", call_id: "call_2" }),
          part({ id: "p3", index: 2, type: "tool", call_id: "call_b" }),
          part({ id: "p4", index: 3, type: "tool", call_id: "call_c" }),
          part({ id: "p5", message_id: "msg_2", text: "Done" }),
        ],
        calls: [...READS, BASH, call({ id: "call_c", created_at: at(14) })],
        workspace_notes: notes,
      }),
    ),
    "trn_1",
  );
}

const WITHOUT = ["user:msg_0", "explore:call_1,call_2", "tool:call_b", "tool:call_c", "text:p5"];

describe("the rows of a turn with words about the workspace", () => {
  it("have them below what was there by then, and what is read above stays", () => {
    const [start, exploring, ...rest] = WITHOUT;
    expect(rows(note({ created_at: at(12) }))).toEqual([start, exploring, "note:wnt_1", ...rest]);
    expect(rows(note({ created_at: at(25) }))).toEqual([...WITHOUT, "note:wnt_1"]);
  });

  it("do not tear a run of reads apart", () => {
    expect(rows(note({ created_at: at(13) }))[1]).toBe("explore:call_1,call_2");
  });

  it("have a limit below the call that met it", () => {
    const limit = note({ kind: "limit", call_id: "call_b", created_at: at(15) });
    expect(rows(limit).slice(2, 4)).toEqual(["tool:call_b", "note:wnt_1"]);
  });

  it("are the same as before when nothing was said", () => {
    expect(rows()).toEqual(WITHOUT);
  });
});
