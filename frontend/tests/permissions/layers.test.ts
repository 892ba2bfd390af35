import { describe, expect, it } from "vitest";
import { layerLabel, reasonLine } from "../../src/permissions/layers";
import { decision } from "../support/policies";

describe("reasons in plain words", () => {
  it("name the layer and the rule", () => {
    expect(reasonLine(decision())).toBe("Your team's policy says: ask before `git push *`");
  });

  it("name anything but a command with its permission", () => {
    const rule = { permission: "read", pattern: "*.env", action: "deny" } as const;
    expect(reasonLine(decision({ rule, layer: "project limits" }))).toBe(
      "A limit of the project says: never allow `read *.env`",
    );
  });

  it("say a rule for everything without signs", () => {
    const rule = { permission: "bash", pattern: "*", action: "deny" } as const;
    expect(reasonLine(decision({ rule, layer: "agent plan" }))).toBe(
      "The agent plan says: never allow any command",
    );
    const named = { permission: "constructor", pattern: "*", action: "ask" } as const;
    expect(reasonLine(decision({ rule: named }))).toContain("any use of constructor");
  });

  it("say why an allow was not enough", () => {
    const rule = { permission: "bash", pattern: "cat *", action: "allow" } as const;
    expect(reasonLine(decision({ rule, layer: "defaults" }))).toBe(
      "The preset says: allow `cat *`, but the command could not be fully parsed, so a person is asked",
    );
  });

  it("say when no rule spoke", () => {
    expect(reasonLine(decision({ rule: null, layer: "" }))).toBe(
      "No rule covers bash git push origin, so a person is asked",
    );
  });

  it("know limits that a child session inherited", () => {
    expect(layerLabel("parent: team limits")).toBe("From the parent session: a limit of your team");
    expect(layerLabel("something new")).toBe("something new");
  });
});
