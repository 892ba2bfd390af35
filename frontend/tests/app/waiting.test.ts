import { describe, expect, it } from "vitest";
import type { Me, Project, WaitingRequest } from "../../src/api/types";
import { asksFor, waitsFor } from "../../src/app/waiting";
import { at, question, request } from "../support/builders";
import { DANA } from "../support/policies";

const PROJECTS = [{ id: "prj_1", team_id: "tea_1" }] as Project[];
const me = (role: string) => ({ user: { id: "usr_1" }, teams: [{ id: "tea_1", role }] }) as unknown as Me;
const waiting = (over: Partial<WaitingRequest>): WaitingRequest => ({
  ...request(),
  session_title: "",
  project_id: "prj_1",
  shared_with: "team",
  ...over,
});

describe("what waits for a person", () => {
  it("is what this person may answer", () => {
    expect(waitsFor(waiting({}), me("member"), PROJECTS)).toBe(true);
    expect(waitsFor(waiting({ approvers: "admin" }), me("member"), PROJECTS)).toBe(false);
    expect(waitsFor(waiting({ approvers: "admin" }), me("admin"), PROJECTS)).toBe(true);
    expect(waitsFor(waiting({}), me("viewer"), PROJECTS)).toBe(false);
  });

  it("is no request to which this person has said yes already", () => {
    const mine = { person: { ...DANA, id: "usr_1" }, reply: "once" as const, at: at(0) };
    expect(waitsFor(waiting({ approvers: "two_people", approvals: [mine] }), me("admin"), PROJECTS)).toBe(
      false,
    );
  });

  it("is a question unless the person is a viewer", () => {
    const asked = { ...question(), session_title: "", project_id: "prj_1", shared_with: "team" as const };
    expect(asksFor(asked, me("member"), PROJECTS)).toBe(true);
    expect(asksFor(asked, me("viewer"), PROJECTS)).toBe(false);
  });

  it("is everything while the projects are not known", () => {
    expect(waitsFor(waiting({ approvers: "admin" }), me("member"), [])).toBe(true);
  });
});
