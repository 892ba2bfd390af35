import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { QuestionCard } from "../../src/permissions/QuestionCard";
import { question } from "../support/builders";
import { serve } from "../support/render";

const two = question({
  questions: [
    ...question().questions,
    {
      question: "Which files?",
      header: "",
      options: [
        { label: "a.py", description: "" },
        { label: "b.py", description: "" },
      ],
      multiple: true,
    },
  ],
});

afterEach(() => vi.unstubAllGlobals());

describe("the question card", () => {
  it("sends one list of answers for each question", async () => {
    const asked = serve({ "POST /api/v1/questions/que_1/reply": { body: two } });
    render(<QuestionCard question={two} canAct />);
    const send = screen.getByRole<HTMLButtonElement>("button", { name: "Send answers" });
    await userEvent.click(screen.getByRole("radio", { name: "Blue" }));
    expect(send.disabled).toBe(true);
    await userEvent.click(screen.getByRole("checkbox", { name: "a.py" }));
    await userEvent.click(screen.getByRole("checkbox", { name: "b.py" }));
    await userEvent.type(screen.getByLabelText("Your own answer: Which files?"), "and c.py");
    await userEvent.click(send);
    expect(asked[0]?.body).toEqual({ answers: [["Blue"], ["a.py", "b.py", "and c.py"]] });
  });

  it("takes own words in place of a single choice", async () => {
    const asked = serve({ "POST /api/v1/questions/que_1/reply": { body: question() } });
    render(<QuestionCard question={question()} canAct />);
    await userEvent.click(screen.getByRole("radio", { name: "Red" }));
    await userEvent.type(screen.getByLabelText("Your own answer: Which colour?"), "green");
    await userEvent.click(screen.getByRole("button", { name: "Send answer" }));
    expect(asked[0]?.body).toEqual({ answers: [["green"]] });
  });

  it("can be dismissed without an answer", async () => {
    const asked = serve({
      "POST /api/v1/questions/que_1/reject": { body: question({ state: "dismissed" }) },
    });
    render(<QuestionCard question={question()} canAct />);
    await userEvent.click(screen.getByRole("button", { name: "Dismiss" }));
    expect(asked[0]?.path).toBe("/api/v1/questions/que_1/reject");
  });

  it("says how far one is, and puts the number keys where an answer is missing", async () => {
    serve({});
    const { container } = render(<QuestionCard question={two} canAct />);
    const withKeys = () => container.querySelector("[data-keys] legend")?.textContent;
    expect(withKeys()).toContain("Which colour?");
    await userEvent.click(screen.getByRole("radio", { name: "Blue" }));
    expect(withKeys()).toContain("Which files? Choose any number.");
    expect(screen.getByText("1 of 2 answered")).toBeDefined();
  });
});
