import { describe, expect, it } from "vitest";
import { kindOf } from "../../src/repositories/kinds";

describe("the kind of a forge", () => {
  it.each([
    ["https://gitlab.example.org", "gitlab"],
    ["https://GitHub.example.org/api", "github"],
    ["https://codeberg.org/", "gitea"],
    ["https://bitbucket.example.org:8443", "bitbucket"],
    ["https://git.example.org/gitlab", null],
    ["gitlab", null],
    ["", null],
  ])("is read from the host of %s", (address, kind) => expect(kindOf(address)).toBe(kind));
});
