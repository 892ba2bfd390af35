import { describe, expect, it } from "vitest";
import { describeCall, describeExploring } from "../../src/tools/describe";
import { call } from "../support/builders";

const phrase = (over: Parameters<typeof call>[0]) => {
  const { verb, object, fact } = describeCall(call(over));
  return [verb, object, fact].filter(Boolean).join(" ");
};

describe("a call in words", () => {
  it.each([
    [{ tool: "edit", arguments: { filePath: "/workspace/src/app.py" } }, "Edited src/app.py"],
    [
      { tool: "bash", state: "running" as const, arguments: { command: "pytest -q\nls" } },
      "Running pytest -q",
    ],
    [{ tool: "bash", metadata: { exit_code: 2 }, arguments: { command: "make" } }, "Ran make exit 2"],
    [{ tool: "bash", state: "waiting" as const, arguments: { command: "make" } }, "Run make"],
    [{ tool: "grep", metadata: { count: 1 }, arguments: { pattern: "def" } }, "Searched def 1 match"],
    [
      { tool: "read", metadata: { lines: 42 }, arguments: { filePath: "/etc/hosts" } },
      "Read /etc/hosts 42 lines",
    ],
    [{ tool: "list", arguments: {} }, "Listed the workspace"],
    [{ tool: "question", arguments: { questions: [{ question: "Why?" }] } }, "Asked Why?"],
    [
      {
        tool: "browser",
        arguments: { action: "open", url: "http://localhost:3000/" },
        metadata: { errors: 2 },
      },
      "Opened http://localhost:3000/ 2 errors",
    ],
    [
      { tool: "browser", state: "waiting" as const, arguments: { action: "click", target: "e5" } },
      "Click e5",
    ],
    [
      { tool: "browser", arguments: { action: "press", keys: ["Ctrl-a", "Delete"] } },
      "Pressed Ctrl-a Delete",
    ],
    [{ tool: "browser", arguments: { action: "screenshot" } }, "Took a picture of the page"],
    [{ tool: "browser", arguments: { action: "constructor" } }, "Used the page"],
    [{ tool: "deploy", title: "Deployed to staging" }, "Deployed to staging"],
    [{ tool: "deploy" }, "Used deploy"],
    [{ tool: "constructor" }, "Used constructor"],
  ])("%j is %s", (over, words) => {
    expect(phrase(over)).toBe(words);
  });

  it("survives arguments of the wrong type", () => {
    expect(phrase({ tool: "bash", arguments: { command: 7 } })).toBe("Ran");
    expect(phrase({ tool: "question", arguments: { questions: "x" } })).toBe("Asked a question");
  });
});

it("exploring counts each file once", () => {
  const read = (filePath: string) => call({ tool: "read", arguments: { filePath } });
  expect(describeExploring([read("a"), read("a"), read("b"), call({ tool: "grep" })])).toBe(
    "Explored 2 files, 1 search",
  );
  expect(describeExploring([read("a"), call({ tool: "list", state: "running" })])).toBe(
    "Exploring 1 file, 1 folder",
  );
});
