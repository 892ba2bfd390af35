import { render, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { useAction } from "../../src/ui/useAction";

function Switch({ work }: { work: () => Promise<void> }) {
  const { run, busy } = useAction();
  return (
    <>
      <button type="button" disabled={busy} onClick={() => void run(work)}>
        Save
      </button>
      <input aria-label="Elsewhere" />
    </>
  );
}

function press(): { end: () => void; button: HTMLElement } {
  let end = () => {};
  const work = new Promise<void>((resolve) => {
    end = resolve;
  });
  render(<Switch work={() => work} />);
  const button = screen.getByRole("button");
  button.focus();
  button.click();
  button.blur(); // as browsers do when it is disabled
  return { end, button };
}

it("gives the focus back to the button that was disabled meanwhile", async () => {
  const { end, button } = press();
  end();
  await waitFor(() => expect(document.activeElement).toBe(button));
});

it("leaves the focus where the person went meanwhile", async () => {
  const { end, button } = press();
  const field = screen.getByRole("textbox");
  field.focus();
  end();
  await waitFor(() => expect(button).toHaveProperty("disabled", false));
  await new Promise(requestAnimationFrame);
  expect(document.activeElement).toBe(field);
});
