import { fireEvent, render, screen } from "@testing-library/react";
import type { FormEvent } from "react";
import { expect, it, vi } from "vitest";
import { Dialog } from "../../src/ui/Dialog";

it("belongs to no form around it, and keeps what it submits to itself", () => {
  const sendPrompt = vi.fn();
  const start = vi.fn((event: FormEvent) => event.preventDefault());
  render(
    <form onSubmit={sendPrompt}>
      <Dialog open onClose={vi.fn()} title="Attempts">
        <form onSubmit={start}>
          <input aria-label="Test command" />
          <button type="submit">Start</button>
        </form>
      </Dialog>
    </form>,
  );
  const field = screen.getByLabelText<HTMLInputElement>("Test command");
  expect(field.form?.parentElement?.closest("form")).toBeNull();
  fireEvent.submit(field.form as HTMLFormElement);
  expect(start).toHaveBeenCalledOnce();
  expect(sendPrompt).not.toHaveBeenCalled();
});
