import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Me } from "../../src/api/types";
import { UserMenu } from "../../src/app/UserMenu";
import { renderApart } from "../support/render";

const me = (over: Partial<Me>): Me => ({
  user: { id: "usr_1", email: "a@example.org", name: "A" },
  teams: [],
  site: { demo_model: true, model: "demo" },
  is_operator: false,
  can_create_teams: true,
  ...over,
});

describe("the menu of one's account", () => {
  it("leads operators to their pages", () => {
    renderApart(<UserMenu me={me({ is_operator: true })} />);
    expect(screen.getByText("Operator pages").getAttribute("href")).toBe("/admin/");
  });

  it("names those pages to nobody else", () => {
    renderApart(<UserMenu me={me({})} />);
    expect(screen.queryByText("Operator pages")).toBeNull();
  });
});
