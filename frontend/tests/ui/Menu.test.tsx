import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { Menu } from "../../src/ui/Menu";
import { LINE, type MenuEntries } from "../../src/ui/menuEntries";
import { openMenu, renderApart } from "../support/render";

function show(entries: MenuEntries) {
  renderApart(
    <Menu className="button" label="Actions" entries={() => entries}>
      Actions
    </Menu>,
  );
  return screen.getByRole("button", { name: "Actions" });
}

describe("a menu", () => {
  it("begins at the first entry, moves by arrow keys and letters, and gives the focus back", async () => {
    const run = vi.fn();
    const button = show([
      { label: "Archive", run: vi.fn() },
      LINE,
      { label: "Never", isDisabled: true },
      { label: "Pin" },
      { label: "Rename", run },
    ]);
    button.focus();
    await userEvent.keyboard("{Enter}");
    const name = () => document.activeElement?.textContent;
    await waitFor(() => expect(name()).toBe("Archive"));
    await userEvent.keyboard("{ArrowDown}");
    expect(name()).toBe("Pin");
    await userEvent.keyboard("r");
    await waitFor(() => expect(name()).toBe("Rename"));
    await userEvent.keyboard("{Enter}");
    expect(run).toHaveBeenCalledOnce();
    await waitFor(() => expect(document.activeElement).toBe(button));
    expect(screen.queryByRole("menu")).toBeNull();
  });

  it("begins at what is chosen, and closes with Escape", async () => {
    const button = show([
      { label: "One", isChosen: false },
      { label: "Two", isChosen: true },
    ]);
    await openMenu("Actions");
    const two = screen.getByRole("menuitemradio", { name: "Two" });
    expect(two.getAttribute("aria-checked")).toBe("true");
    await waitFor(() => expect(document.activeElement).toBe(two));
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
    expect(button.getAttribute("aria-expanded")).toBe("false");
  });

  it("stays open where an entry says so", async () => {
    const run = vi.fn();
    show([{ label: "Toggle", stays: true, run }]);
    await openMenu("Actions");
    await userEvent.click(screen.getByRole("menuitem", { name: "Toggle" }));
    expect(run).toHaveBeenCalledOnce();
    expect(screen.getByRole("menu")).toBeDefined();
  });
});
