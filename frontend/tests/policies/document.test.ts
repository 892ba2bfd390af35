import { describe, expect, it } from "vitest";
import { EMPTY_RULES, kindOf, missingParts, moved, sameDocument } from "../../src/policies/document";
import { policyDocument } from "../support/policies";

describe("moving a rule", () => {
  it("puts it where it was asked to be and keeps the order of the rest", () => {
    expect(moved(["a", "b", "c", "d"], 0, 2)).toEqual(["b", "c", "a", "d"]);
    expect(moved(["a", "b", "c", "d"], 3, 1)).toEqual(["a", "d", "b", "c"]);
  });

  it("does nothing at the ends", () => {
    expect(moved(["a", "b"], 0, -1)).toEqual(["a", "b"]);
    expect(moved(["a", "b"], 1, 2)).toEqual(["a", "b"]);
    expect(moved([], 0, 0)).toEqual([]);
  });
});

describe("comparing policies", () => {
  it("does not mind the order of keys, but that of rules", () => {
    const ask = { permission: "bash", pattern: "a", action: "ask" } as const;
    const deny = { action: "deny", pattern: "b", permission: "bash" } as const;
    const turned = { pattern: "a", action: "ask", permission: "bash" } as const;
    const document = policyDocument({ rules: [ask, deny] });
    expect(sameDocument(document, policyDocument({ rules: [turned, deny] }))).toBe(true);
    expect(sameDocument(document, policyDocument({ rules: [deny, ask] }))).toBe(false);
  });
});

describe("an unfinished policy", () => {
  it("says what is missing where", () => {
    const document = policyDocument({ enforced: [EMPTY_RULES.enforced] });
    expect(missingParts(document)).toEqual(["Limit 1 needs a permission and a pattern."]);
    expect(missingParts(policyDocument())).toEqual([]);
  });
});

describe("places", () => {
  it("are told apart by their ids", () => {
    expect(["site", "tea_1", "prj_1"].map(kindOf)).toEqual(["site", "team", "project"]);
  });
});
