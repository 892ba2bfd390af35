import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { QuestionItem } from "../../src/api/types";
import { QuestionCard } from "../../src/permissions/QuestionCard";
import { question } from "../support/builders";
import { meAs, PROJECT, renderApart as render, serve } from "../support/render";

const yesNo = ["Yes", "No"].map((label) => ({ label, description: "" }));
const first: QuestionItem = {
  question: "",
  header: "",
  options: [],
  multiple: false,
  kind: "text",
  required: true,
  prefilled: [],
};

const two = question({
  questions: [
    ...question().questions,
    {
      ...first,
      question: "Which files?",
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

  const form = (questions: Partial<QuestionItem>[], url = "") =>
    question({
      server: { name: "shop", message: "What would you like?", url },
      questions: questions.map((item) => ({ ...first, ...item })),
    });

  it("shows which server asks, and sends a form that is filled in", async () => {
    const asked = serve({ "POST /api/v1/questions/que_1/reply": { body: question() } });
    const item = form([
      { question: "Your name", kind: "text" },
      { question: "Cups", kind: "integer", required: false, prefilled: ["2"] },
      { question: "Sugar", kind: "boolean", required: false, options: yesNo, prefilled: ["No"] },
    ]);
    render(<QuestionCard projectId="prj_1" question={item} canAct />);
    screen.getByRole("heading", { name: "The MCP server shop asks" });
    screen.getByText("What would you like?");
    const send = screen.getByRole<HTMLButtonElement>("button", { name: "Send answers" });
    expect(send.disabled).toBe(true);
    expect(screen.queryByLabelText("Your own answer: Sugar")).toBeNull();
    await userEvent.type(screen.getByLabelText("Your own answer: Your name"), "Ada");
    await userEvent.click(send);
    expect(sent(asked)[0]?.body).toEqual({ answers: [["Ada"], ["2"], ["No"]] });
  });

  it("lets a person refuse a server, and shows the address of a page in full", async () => {
    const asked = serve({ "POST /api/v1/questions/que_1/reject": { body: question() } });
    const confirm = { question: "What would you like?", kind: "confirm" as const };
    render(
      <QuestionCard projectId="prj_1" question={form([confirm], "https://shop.example/pay?n=1")} canAct />,
    );
    const link = screen.getByRole("link", { name: "https://shop.example/pay?n=1" });
    expect(link.getAttribute("rel")).toBe("noopener noreferrer");
    expect(screen.getAllByText("What would you like?")).toHaveLength(1);
    await userEvent.click(screen.getByRole("button", { name: "Refuse" }));
    expect(sent(asked)[0]?.path).toBe("/api/v1/questions/que_1/reject");
  });
});
