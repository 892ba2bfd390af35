import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ToolRow } from "../../src/conversation/ToolRow";
import { visibleSession } from "../../src/permissions/visibleSession";
import { resultText } from "../../src/tools/SubAgent";
import { call, request, snapshot } from "../support/builders";
import { renderInSession, serve } from "../support/render";

afterEach(() => vi.unstubAllGlobals());

const SUMMARY = ["list", "read", "grep", "glob", "read", "bash"].map((tool, index) => ({
  call_id: `call_c${index}`,
  tool,
  title: `Step ${index}`,
  state: index === 5 ? "running" : "completed",
}));

const task = (over: Parameters<typeof call>[0] = {}) =>
  call({
    tool: "task",
    state: "waiting",
    waits_for: "child" as never,
    arguments: { subagent_type: "explore", description: "Find the tests", prompt: "Look into tests/" },
    ...over,
    metadata: {
      session_id: "ses_2",
      agent: "explore",
      description: "Find the tests",
      state: "running",
      steps: 3,
      summary: SUMMARY,
      waiting: [],
      cost: 0.5,
      tokens: { input: 1000, output: 200 },
      ...over?.metadata,
    },
  });

function show(over: Parameters<typeof call>[0] = {}, answers: Parameters<typeof serve>[0] = {}) {
  serve(answers);
  return renderInSession(<ToolRow callId="call_1" latest={false} />, snapshot({ calls: [task(over)] }));
}

describe("a sub-agent at work", () => {
  it("is shown as running, with its latest calls and the way to its session", () => {
    show();
    expect(screen.getByTestId("tool-row").dataset.state).toBe("running");
    expect(screen.getByTestId("tool-row").textContent).toContain("Sub-agent explore Find the tests3 steps");
    expect(screen.getByText("2 earlier calls")).toBeDefined();
    expect(screen.getAllByTestId("call-line").map((line) => line.textContent)).toEqual([
      "Step 2",
      "Step 3",
      "Step 4",
      "Step 5running",
    ]);
    expect(screen.getByTestId("child-link").getAttribute("href")).toBe("/sessions/ses_2");
  });

  it("says in its caller's conversation why a budget lets it not go on", () => {
    const stopped = { session_id: "ses_2", code: "budget_exhausted", message: "No room.", hint: "Raise it." };
    show({ metadata: { state: "waiting", stopped } });
    const box = screen.getByTestId("stopped-turn").textContent;
    expect(box).toContain("Sub-agent explore is waiting");
    expect(box).toContain("No room.Raise it.");
  });

  it("is shown as stopped when a person stopped it, not as failed", () => {
    show({ state: "error", waits_for: "", metadata: { state: "aborted" } });
    expect(screen.getByTestId("tool-row").dataset.state).toBe("aborted");
    expect(screen.getByTestId("tool-row").textContent).toContain("stopped");
  });

  it("asks in its parent's conversation, and the tray leaves it there", async () => {
    const waiting = {
      ...request({ session_id: "ses_2", call_id: "call_c5" }),
      project_id: "prj_1",
      session_title: "",
    };
    const { unmount } = show(
      {
        metadata: {
          waiting: [{ kind: "permission", id: "per_1", session_id: "ses_2", tool: "bash", title: "" }],
        },
      },
      { "GET /api/v1/permission-requests": { body: { items: [waiting] } } },
    );
    expect(await screen.findByTestId("permission-card")).toBeDefined();
    expect(visibleSession.getState().children).toEqual(["ses_2"]);
    unmount();
    expect(visibleSession.getState().children).toEqual([]);
  });
});

describe("a sub-agent that is done", () => {
  it("shows what it was asked, its calls, its words and what it took", async () => {
    show({
      state: "completed",
      waits_for: "",
      output: "task_id: ses_2\n<task_result>\nThere are **nine** tests.\n</task_result>",
      metadata: { state: "completed" },
    });
    expect(screen.queryByTestId("sub-agent-live")).toBeNull();
    await userEvent.click(screen.getByRole("button", { expanded: false }));
    expect(screen.getByText("Look into tests/")).toBeDefined();
    expect(screen.getByTestId("sub-agent-result").textContent?.trim()).toBe("There are nine tests.");
    expect(screen.getByText("3 steps · 1.2k tokens · $0.50")).toBeDefined();
  });
});

it("a result is the sub-agent's words, without the signs for the model", () => {
  expect(resultText("task_id: ses_2\nIt could not finish.\n<task_result>\nHalf.\n</task_result>")).toBe(
    "It could not finish.\n\nHalf.",
  );
});
