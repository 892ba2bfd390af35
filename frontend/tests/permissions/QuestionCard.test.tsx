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
    await userEvent.click(screen.getByLabelText("Blue"));
    expect(send.disabled).toBe(true);
    await userEvent.click(screen.getByLabelText("a.py"));
    await userEvent.click(screen.getByLabelText("b.py"));
    await userEvent.type(screen.getByLabelText("Own words: Which files?"), "and c.py");
    await userEvent.click(send);
    expect(asked[0]?.body).toEqual({ answers: [["Blue"], ["a.py", "b.py", "and c.py"]] });
  });

  it("takes own words in place of a single choice", async () => {
    const asked = serve({ "POST /api/v1/questions/que_1/reply": { body: question() } });
    render(<QuestionCard question={question()} canAct />);
    await userEvent.click(screen.getByLabelText("Red"));
    await userEvent.type(screen.getByLabelText("Own words: Which colour?"), "green");
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
});
