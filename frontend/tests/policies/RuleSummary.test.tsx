import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { Rule } from "../../src/api/policyTypes";
import { RuleSummary } from "../../src/policies/RuleSummary";

const rulesOf = (count: number): Rule[] =>
  Array.from({ length: count }, (_, at) => ({
    permission: "bash",
    pattern: at === 7 ? "git push *" : `tool-${at} *`,
    action: "ask" as const,
  }));

it("finds rules by their words", async () => {
  const { container } = render(<RuleSummary title="30 rules of balanced" rules={rulesOf(30)} />);
  const search = screen.getByLabelText("Search the 30 rules of balanced");
  await userEvent.type(search, "PUSH bash");
  expect(screen.getByRole("status", { hidden: true }).textContent).toBe("1 match");
  expect(container.querySelector("pre")?.textContent).toContain("git push *");
  await userEvent.type(search, " nothing");
  expect(screen.getByText("No rule contains these words.")).toBeDefined();
});

it("has no search for a few rules", () => {
  render(<RuleSummary title="3 rules" rules={rulesOf(3)} />);
  expect(screen.queryByRole("searchbox", { hidden: true })).toBeNull();
});
