import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Me } from "../../src/api/types";
import { UserMenu } from "../../src/app/UserMenu";
import { openMenu, renderApart } from "../support/render";

const me = (over: Partial<Me>): Me => ({
  user: { id: "usr_1", email: "a@example.org", name: "A" },
  teams: [],
  site: { demo_model: true, model: "demo" },
  is_operator: false,
  can_create_teams: true,
  ...over,
});

describe("the menu of one's account", () => {
  it("leads operators to their pages", async () => {
    renderApart(<UserMenu me={me({ is_operator: true })} />);
    await openMenu("Account of A");
    expect(screen.getByRole("menuitem", { name: "Operator pages" }).getAttribute("href")).toBe("/admin/");
  });

  it("names those pages to nobody else", async () => {
    renderApart(<UserMenu me={me({})} />);
    await openMenu("Account of A");
    expect(screen.queryByText("Operator pages")).toBeNull();
  });
});
