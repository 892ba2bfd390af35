import { describe, expect, it } from "vitest";
import {
  approvalText,
  expiryText,
  mayAnswer,
  type Role,
  scopesFor,
  waitingLabel,
} from "../../src/permissions/approvers";
import { at, request } from "../support/builders";
import { DANA } from "../support/policies";

const me = (role: Role | null, id = "usr_1") => ({ id, role });
const yes = { person: DANA, reply: "once" as const, at: at(0) };

describe("who may answer", () => {
  it("is any member where the policy says nothing else", () => {
    expect(mayAnswer(request(), me("member"), true).may).toBe(true);
    expect(mayAnswer(request(), me("viewer"), true).may).toBe(false);
    expect(mayAnswer(request(), me("admin"), false).may).toBe(false);
  });

  it("is only an admin where it says so", () => {
    const asked = request({ approvers: "admin" });
    expect(mayAnswer(asked, me("member"), true).why).toContain("admin");
    expect(mayAnswer(asked, me("owner"), true).may).toBe(true);
  });

  it("is the starter or an admin where it says so", () => {
    const asked = request({ approvers: "starter", started_by_id: "usr_2" });
    expect(mayAnswer(asked, me("member"), true).may).toBe(false);
    expect(mayAnswer(asked, me("member", "usr_2"), true).may).toBe(true);
    expect(mayAnswer(asked, me("admin"), true).may).toBe(true);
  });

  it("is somebody else once one of two people said yes", () => {
    const asked = request({ approvers: "two_people", approvals: [yes] });
    expect(mayAnswer(asked, me("admin", "usr_2"), true).why).toContain("One more approval");
    expect(mayAnswer(asked, me("member"), true).may).toBe(true);
  });

  it("leaves it to the server while the role is not known", () => {
    expect(mayAnswer(request({ approvers: "admin" }), me(null), true).may).toBe(true);
  });
});

describe("what a person who cannot answer reads", () => {
  it.each([
    ["member", "Members and admins of the team can answer."],
    ["starter", "Only the person who started this turn, or an admin, can answer."],
    ["admin", "Only an admin of the team can answer."],
    ["two_people", "Two people who are members or admins of the team must approve."],
  ] as const)("names who can, if it is %s", (approvers, who) => {
    const asked = request({ approvers });
    expect(mayAnswer(asked, me("viewer"), false).why).toBe(`Viewers cannot answer. ${who}`);
    expect(mayAnswer(asked, me(null), false).why).toBe(who);
    expect(mayAnswer(asked, me("admin"), false).why).toContain("deactivated");
  });

  it("never says that a call waits for this person", () => {
    expect(waitingLabel(true, "admin")).toBe("waiting for you");
    expect(waitingLabel(false, "admin")).toBe("waiting for an admin");
    expect(waitingLabel(false, "member")).toBe("waiting for a member");
  });
});

describe("the words of a request's state", () => {
  it("count the people who said yes", () => {
    expect(approvalText(request())).toBe("");
    expect(approvalText(request({ approvers: "two_people" }))).toBe("Two people must approve.");
    expect(approvalText(request({ approvers: "two_people", approvals: [yes] }))).toBe(
      "1 of 2 people approved: Dana.",
    );
  });

  const left = (milliseconds: number, whole = 24 * 3_600_000) =>
    expiryText(
      { created_at: at(0), expires_at: new Date(Date.parse(at(0)) + whole).toISOString() },
      Date.parse(at(0)) + whole - milliseconds,
    );

  it("name the end when it is near", () => {
    expect(left(20 * 3_600_000)).toBe("");
    expect(left(3 * 3_600_000)).toBe("Denied automatically in 3 h.");
    expect(left(20 * 60_000)).toBe("Denied automatically in 20 min.");
    expect(left(30_000)).toBe("Denied automatically in a minute.");
    expect(left(-1)).toContain("Expired");
  });

  it("name the end from the start when the wait is short", () => {
    expect(left(3_600_000, 3_600_000)).toBe("Denied automatically in 60 min.");
  });
});

describe("scopes of an always", () => {
  it("hold the team for admins only", () => {
    expect(scopesFor(["session", "team"], "member")).toEqual(["session"]);
    expect(scopesFor(["session", "team"], "owner")).toEqual(["session", "team"]);
  });
});
