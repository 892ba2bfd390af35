import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { RequestCard } from "../../src/permissions/RequestCard";

afterEach(cleanup);

const card = (id: string, state: string) => (
  <RequestCard key={id} kind="permission" id={id} state={state} icon="shield" title={id}>
    {state === "open" && <button type="button">Allow {id}</button>}
  </RequestCard>
);
const page = (...cards: React.ReactNode[]) => <main id="main">{cards}</main>;
const press = (name: string) => screen.getByRole("button", { name }).focus();

it("gets the focus when it is answered and its buttons are gone", () => {
  const shown = render(page(card("a", "open")));
  press("Allow a");
  shown.rerender(page(card("a", "once")));
  expect(document.activeElement).toBe(screen.getByRole("article"));
});

it("gives the focus to another open card when it is gone, and else to the page", () => {
  const shown = render(page(card("a", "open"), card("b", "open")));
  press("Allow a");
  shown.rerender(page(card("b", "open")));
  expect(document.activeElement).toBe(screen.getByRole("article"));
  shown.rerender(page());
  expect(document.activeElement).toBe(screen.getByRole("main"));
});

it("takes the focus from nobody", () => {
  const shown = render(
    <>
      <input aria-label="Prompt" />
      {page(card("a", "open"))}
    </>,
  );
  screen.getByRole("textbox").focus();
  shown.rerender(
    <>
      <input aria-label="Prompt" />
      {page(card("a", "once"))}
    </>,
  );
  expect(document.activeElement).toBe(screen.getByRole("textbox"));
});
