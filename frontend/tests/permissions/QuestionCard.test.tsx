import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { QuestionCard } from "../../src/permissions/QuestionCard";
import { question } from "../support/builders";
import { meAs, PROJECT, renderApart as render, serve } from "../support/render";

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

const sent = (asked: ReturnType<typeof serve>) => asked.filter((item) => item.method === "POST");

afterEach(() => vi.unstubAllGlobals());

describe("the question card", () => {
  it("sends one list of answers for each question", async () => {
    const asked = serve({ "POST /api/v1/questions/que_1/reply": { body: two } });
    render(<QuestionCard projectId="prj_1" question={two} canAct />);
    const send = screen.getByRole<HTMLButtonElement>("button", { name: "Send answers" });
    await userEvent.click(screen.getByRole("radio", { name: "Blue" }));
    expect(send.disabled).toBe(true);
    await userEvent.click(screen.getByRole("checkbox", { name: "a.py" }));
    await userEvent.click(screen.getByRole("checkbox", { name: "b.py" }));
    await userEvent.type(screen.getByLabelText("Your own answer: Which files?"), "and c.py");
    await userEvent.click(send);
    expect(sent(asked)[0]?.body).toEqual({ answers: [["Blue"], ["a.py", "b.py", "and c.py"]] });
  });

  it("takes own words in place of a single choice", async () => {
    const asked = serve({ "POST /api/v1/questions/que_1/reply": { body: question() } });
    render(<QuestionCard projectId="prj_1" question={question()} canAct />);
    await userEvent.click(screen.getByRole("radio", { name: "Red" }));
    await userEvent.type(screen.getByLabelText("Your own answer: Which colour?"), "green");
    await userEvent.click(screen.getByRole("button", { name: "Send answer" }));
    expect(sent(asked)[0]?.body).toEqual({ answers: [["green"]] });
  });

  it("can be dismissed without an answer", async () => {
    const asked = serve({
      "POST /api/v1/questions/que_1/reject": { body: question({ state: "dismissed" }) },
    });
    render(<QuestionCard projectId="prj_1" question={question()} canAct />);
    await userEvent.click(screen.getByRole("button", { name: "Dismiss" }));
    expect(sent(asked)[0]?.path).toBe("/api/v1/questions/que_1/reject");
  });

  it("says to a viewer who can answer", async () => {
    serve({ "GET /api/v1/me": meAs("viewer"), "GET /api/v1/projects/prj_1": PROJECT });
    render(<QuestionCard projectId="prj_1" question={question()} canAct={false} />);
    expect(screen.queryByRole("button")).toBeNull();
    await screen.findByText("Viewers cannot answer. Members and admins of the team can answer.");
  });

  it("says how far one is, and puts the number keys where an answer is missing", async () => {
    serve({});
    const { container } = render(<QuestionCard projectId="prj_1" question={two} canAct />);
    const withKeys = () => container.querySelector("[data-keys] legend")?.textContent;
    expect(withKeys()).toContain("Which colour?");
    await userEvent.click(screen.getByRole("radio", { name: "Blue" }));
    expect(withKeys()).toContain("Which files? Choose any number.");
    expect(screen.getByText("1 of 2 answered")).toBeDefined();
  });
});
