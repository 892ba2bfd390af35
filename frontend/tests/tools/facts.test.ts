import { describe, expect, it } from "vitest";
import {
  childOf,
  diagnosticsOf,
  fileOfPart,
  patchFilesOf,
  pathOf,
  shownState,
  webAddress,
} from "../../src/tools/facts";
import { call } from "../support/builders";

describe("what a tool told", () => {
  it("is nothing when it is of the wrong type", () => {
    const odd = call({ metadata: { diagnostics: "x", files: [1, null], summary: {}, tokens: "many" } });
    expect(diagnosticsOf(odd)).toEqual([]);
    expect(patchFilesOf(odd.metadata)).toEqual([]);
    expect(childOf(odd)).toMatchObject({ summary: [], tokens: 0, waitingSessions: [] });
  });

  it("shows paths as seen from the workspace", () => {
    expect(pathOf(call({ arguments: { file_path: "/workspace/a/b.py" } }))).toBe("a/b.py");
    expect(pathOf(call({ metadata: { path: "/etc/hosts" } }))).toBe("/etc/hosts");
  });

  it("puts errors before warnings, by number or by word", () => {
    const found = diagnosticsOf(
      call({
        metadata: {
          diagnostics: [
            { path: "a.py", line: 1, column: 1, severity: "warning", message: "w" },
            { path: "a.py", line: 2, column: 1, severity: 1, message: "e" },
          ],
        },
      }),
    );
    expect(found.map((item) => [item.severity, item.message])).toEqual([
      ["error", "e"],
      ["warning", "w"],
    ]);
  });

  it("is a file where a part has one", () => {
    expect(fileOfPart({ type: "text", data: { attachment: { id: "att_1" } } })).toBeNull();
    expect(fileOfPart({ type: "file", data: { attachment: {} } })).toBeNull();
    expect(fileOfPart({ type: "file", data: { attachment: { id: "att_1" } } })?.id).toBe("att_1");
  });
});

it("a sub-agent's call adds up its tokens and names who waits", () => {
  const child = childOf(
    call({
      tool: "task",
      arguments: { subagent_type: "explore", description: "Find it" },
      metadata: {
        tokens: { input: 10, output: 5, cache_read: 100 },
        waiting: [{ session_id: "ses_2" }, { session_id: "ses_2" }, { session_id: "ses_3" }],
      },
    }),
  );
  expect(child).toMatchObject({ agent: "explore", description: "Find it", tokens: 15 });
  expect(child.waitingSessions).toEqual(["ses_2", "ses_3"]);
});

it("a call that waits for others, and not for a person, is shown as running", () => {
  const waiting = (waits_for: string, metadata = {}) =>
    shownState({ state: "waiting", waits_for, metadata } as never);
  expect(waiting("permission")).toBe("waiting");
  expect(waiting("child")).toBe("running");
  expect(waiting("calls")).toBe("running");
  expect(waiting("child", { waiting: [{ session_id: "ses_2" }] })).toBe("waiting");
});

it("only the web can be followed", () => {
  expect(webAddress("https://example.org/a")).toBe("https://example.org/a");
  expect(webAddress("javascript:alert(1)")).toBe("");
  expect(webAddress("not an address")).toBe("");
});
