import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { Conversation } from "../../src/conversation/Conversation";
import { at, call, message, note, part, snapshot, turn } from "../support/builders";
import { renderInSession, serve } from "../support/render";

const ENDED = turn({ state: "completed", created_at: at(0), ended_at: at(5) });
const lines = () => screen.getAllByTestId("workspace-note");

it("a start is said quietly, with its time and nothing to click", () => {
  serve({});
  renderInSession(<Conversation />, snapshot({ turns: [ENDED], workspace_notes: [note()] }));
  expect(lines()[0]?.textContent).toContain("The workspace started (0.3 s).");
  expect(lines()[0]?.getAttribute("role")).toBeNull();
  expect(screen.queryByRole("link", { name: /See/ })).toBeNull();
});

it("a limit and a loss are said with a word, and lead to the workspace", () => {
  serve({});
  const notes = [
    note({ id: "a", kind: "limit", text: "Memory limit reached.", created_at: at(2) }),
    note({ id: "b", kind: "lost", text: "The node is gone.", created_at: at(9) }),
  ];
  renderInSession(<Conversation />, snapshot({ turns: [ENDED], workspace_notes: notes }));
  expect(lines().map((line) => line.textContent)).toEqual([
    expect.stringContaining("Limit: Memory limit reached."),
    expect.stringContaining("Lost: The node is gone."),
  ]);
  const link = screen.getByRole("link", { name: "View limits and usage" });
  expect(link.getAttribute("href")).toBe("/workspaces/wsp_1");
});

it("below a running call, a word does not pass for the end of its work", () => {
  serve({});
  renderInSession(
    <Conversation />,
    snapshot({
      turns: [turn()],
      messages: [message({ state: "streaming" })],
      parts: [part({ type: "tool", call_id: "call_1" })],
      calls: [call({ state: "running" })],
      workspace_notes: [note({ created_at: at(3) })],
    }),
  );
  expect(lines()).toHaveLength(1);
  expect(screen.queryByTestId("turn-progress")).toBeNull();
});
