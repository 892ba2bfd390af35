import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, expect, it } from "vitest";
import { useJumpKeys } from "../../src/conversation/useJumpKeys";

beforeAll(() => {
  Element.prototype.scrollIntoView = () => undefined;
});

function Turns() {
  useJumpKeys();
  const row = (name: string, failed: boolean) => (
    <div className="tool" data-failed={failed}>
      <button type="button" className="tool-row">
        {name}
      </button>
    </div>
  );
  return (
    <>
      <div className="conversation">
        <div className="user-message" tabIndex={-1}>
          first prompt
        </div>
        {row("went well", false)}
        {row("failed once", true)}
        <div className="user-message" tabIndex={-1}>
          second prompt
        </div>
        {row("failed again", true)}
      </div>
      <textarea aria-label="Prompt" />
    </>
  );
}

const focused = () => document.activeElement?.textContent?.trim();
const press = (letter: string) => userEvent.keyboard(`{Alt>}[Key${letter}]{/Alt}`);

it("goes from prompt to prompt and from failure to failure, also from the prompt box", async () => {
  render(<Turns />);
  await userEvent.click(screen.getByRole("textbox"));
  const seen: (string | undefined)[] = [];
  for (const letter of ["J", "J", "J", "K", "E", "E", "E"]) {
    await press(letter);
    seen.push(focused());
  }
  expect(seen).toEqual([
    "first prompt",
    "second prompt",
    "first prompt",
    "second prompt",
    "failed once",
    "failed again",
    "failed once",
  ]);
});
