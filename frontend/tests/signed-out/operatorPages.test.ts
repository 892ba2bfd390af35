import { describe, expect, it } from "vitest";
import { operatorPageIn } from "../../src/signed-out/operatorPages";

const HERE = "https://agents.example.org";
const asked = (next: string) => operatorPageIn(`?next=${encodeURIComponent(next)}`, HERE);

describe("where signing in leads back to", () => {
  it("is the operators' page that one came from", () => {
    expect(asked("/admin/sessions_app/node/?q=a")).toBe("/admin/sessions_app/node/?q=a");
    expect(operatorPageIn("", HERE)).toBeNull();
  });

  it.each([
    "https://evil.example/admin/",
    "//evil.example/admin/",
    "/\\evil.example/admin/",
    "/admin/../api/docs",
    "/admin",
    "javascript:alert(1)",
    "/account",
  ])("is nowhere else: %s", (next) => {
    expect(asked(next)).toBeNull();
  });
});
