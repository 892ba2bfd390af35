import { act, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { Tips } from "../../src/ui/Tips";
import { renderApart } from "../support/render";

it("says what a button with an icon does when the keyboard is at it, until Escape", async () => {
  renderApart(
    <>
      <button type="button" className="icon-button" aria-label="Edit" title="Edit (Alt E)">
        x
      </button>
      <Tips />
    </>,
  );
  const button = screen.getByRole("button");
  button.matches = (selector) => selector === ":focus-visible"; // the focus came by keyboard, which no browser without windows can tell
  act(() => button.focus());
  const tip = await screen.findByRole("tooltip");
  expect(tip.textContent).toBe("Edit (Alt E)");
  expect(button.hasAttribute("title")).toBe(false);
  act(() => void document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" })));
  expect(screen.queryByRole("tooltip")).toBeNull();
  expect(button.getAttribute("title")).toBe("Edit (Alt E)");
});
