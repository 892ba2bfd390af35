import { describe, expect, it } from "vitest";
import type { Rule } from "../../src/api/policyTypes";
import { documentLines, parseRules, rulesText } from "../../src/policies/text";
import { policyDocument } from "../support/policies";

const rule = (action: Rule["action"], permission: string, pattern: string): Rule => ({
  action,
  permission,
  pattern,
});

describe("rules as text", () => {
  it("writes one rule a line, then the limits with a mark", () => {
    const text = rulesText({
      rules: [rule("allow", "bash", "git status *")],
      enforced: [rule("deny", "read", "*.env")],
    });
    expect(text).toBe("allow bash git status *\n! deny read *.env");
  });

  it("reads what it wrote, whatever is in it", () => {
    const odd = [
      "*",
      " padded ",
      'say "hi"',
      '"quoted"',
      "two\nlines",
      "a  b",
      "#x",
      "!x",
      "\u2028",
      "C:\\x",
    ];
    const rules = odd.map((pattern) => rule("ask", "bash", pattern));
    const enforced = [rule("deny", "my tool", "*"), rule("allow", '"q', "*")];
    expect(parseRules(rulesText({ rules, enforced }))).toEqual({ rules, enforced, errors: [] });
  });

  it("passes over comments and empty lines", () => {
    const { rules, errors } = parseRules("# why\n\n  ask bash git push *  \n\t# more");
    expect(rules).toEqual([rule("ask", "bash", "git push *")]);
    expect(errors).toEqual([]);
  });

  it("takes a missing pattern as anything", () => {
    expect(parseRules("deny webfetch").rules).toEqual([rule("deny", "webfetch", "*")]);
  });

  it("keeps a hash inside of a pattern", () => {
    expect(parseRules("ask bash git commit -m #1").rules[0]?.pattern).toBe("git commit -m #1");
  });

  it("names the line of each mistake and goes on with the rest", () => {
    const { rules, errors } = parseRules("permit bash *\nask bash ls\n!deny\n!");
    expect(rules).toEqual([rule("ask", "bash", "ls")]);
    expect(errors.map((error) => error.line)).toEqual([1, 3, 4]);
    expect(errors[0]?.message).toContain("“permit” is not an action");
  });

  it("accepts line ends of other systems", () => {
    expect(parseRules("ask bash ls\r\ndeny read x\r\n").rules.map((item) => item.pattern)).toEqual([
      "ls",
      "x",
    ]);
  });

  it("refuses what the server would refuse for its length", () => {
    expect(parseRules(`ask bash ${"x".repeat(2001)}`).errors).toHaveLength(1);
    expect(parseRules(`ask ${"x".repeat(101)} *`).errors).toHaveLength(1);
  });
});

describe("a policy as lines", () => {
  it("says options and expectations as well", () => {
    const document = policyDocument({ preset: "cautious" });
    document.options.approvers = "two_people";
    document.expectations = [
      { expect: "deny", permission: "bash", pattern: "", command: "rm -rf /", agent: "plan", note: "never" },
    ];
    expect(documentLines(document)).toEqual([
      "preset = cautious",
      "approvers = two_people",
      "# expect deny for plan: command rm -rf /  (never)",
    ]);
  });
});
