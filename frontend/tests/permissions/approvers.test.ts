import { describe, expect, it } from "vitest";
import { approvalText, expiryText, mayAnswer, type Role, scopesFor } from "../../src/permissions/approvers";
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
