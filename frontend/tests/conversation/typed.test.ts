import { describe, expect, it } from "vitest";
import { findCommand, meaningOf, withFolders } from "../../src/conversation/typed";

const COMMANDS = ["review", "git/tidy"];
const none = new Set<string>();

describe("what a typed text means", () => {
  it("is a shell command behind an exclamation mark", () => {
    expect(meaningOf(" !git status", COMMANDS, none)).toEqual({ kind: "shell", command: "git status" });
    expect(meaningOf("!", COMMANDS, none).kind).toBe("prompt");
  });

  it("is a command if there is one of this name", () => {
    expect(meaningOf("/review src/a.py 3", COMMANDS, none)).toEqual({
      kind: "command",
      name: "review",
      args: "src/a.py 3",
    });
    expect(meaningOf("/git/tidy", COMMANDS, none)).toEqual({ kind: "command", name: "git/tidy", args: "" });
    expect(meaningOf("/etc/hosts is wrong", COMMANDS, none).kind).toBe("prompt");
  });

  it("names the chosen files that are still in the text", () => {
    const chosen = new Set(["src/a.py", "src/", "b.py"]);
    expect(meaningOf("See @src/a.py, and @src/ too", COMMANDS, chosen)).toMatchObject({
      paths: ["src/a.py", "src/"],
    });
    expect(meaningOf("See @src/a.pyc", COMMANDS, chosen)).toMatchObject({ paths: [] });
  });
});

describe("a command in front of the caret", () => {
  it("begins the text", () => {
    expect(findCommand("/rev", 4)).toBe("rev");
    expect(findCommand("see /rev", 8)).toBeNull();
    expect(findCommand("/review x", 9)).toBeNull();
  });
});

describe("files and their folders", () => {
  it("puts names that begin with the query first", () => {
    expect(withFolders(["lib/app/x.py", "src/app.py", "docs/snapp.md"], "app", 8)).toEqual([
      "lib/app/",
      "src/app.py",
      "docs/snapp.md",
      "lib/app/x.py",
    ]);
  });
});
