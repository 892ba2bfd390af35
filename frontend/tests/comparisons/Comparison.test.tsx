import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ComparisonPage } from "../../src/comparisons/ComparisonPage";
import { StartAttempts } from "../../src/comparisons/StartAttempts";
import { session, snapshot, turn } from "../support/builders";
import { meAs, PROJECT, renderApart, renderInSession, serve } from "../support/render";

const attempt = (number: number, over = {}) => ({
  session: session({ id: `ses_${number}`, cost: number / 10, model: `demo/model-${number}` }),
  turn: turn({ state: "completed", ended_at: "2026-01-01T12:01:05Z", step_count: 3 }),
  workspace_state: "running",
  test: "passed",
  exit_code: 0,
  ...over,
});
const COMPARISON = {
  id: "cmp_1",
  session_id: "ses_0",
  prompt: "Make it coffee.",
  test_command: "make test",
  files_at: null,
  created_by: { id: "usr_1", email: "a@example.org", name: "A" },
  created_at: "2026-01-01T12:00:00Z",
  kept_id: null as string | null,
  attempts: [attempt(1), attempt(2, { test: "failed", exit_code: 2 })],
};
const KEEP = "POST /api/v1/comparisons/cmp_1/keep";
const EMPTY = { files: [], folded: [], more_files: 0 };

afterEach(() => vi.unstubAllGlobals());

async function open(comparison: object = COMPARISON, role = "member") {
  const asked = serve({
    "GET /api/v1/me": meAs(role),
    "GET /api/v1/comparisons/cmp_1": { body: comparison },
    "GET /api/v1/sessions/ses_0": { body: session({ id: "ses_0" }) },
    "GET /api/v1/projects/prj_1": PROJECT,
    "GET /api/v1/sessions/ses_1/diff": { body: EMPTY },
    "GET /api/v1/sessions/ses_2/diff": { body: EMPTY },
    [KEEP]: { body: { ...COMPARISON, kept_id: "ses_2" } },
  });
  renderApart(<ComparisonPage comparisonId="cmp_1" />);
  await screen.findAllByTestId("attempt");
  return asked;
}

describe("a comparison", () => {
  it("shows cost, time, tests and changes of each attempt", async () => {
    await open();
    const second = within(screen.getByRole("region", { name: "Attempt 2" }));
    expect(second.getByText("$0.20, 0 tokens")).toBeDefined();
    expect(second.getByText(/1 min 5 s, 3 steps/)).toBeDefined();
    expect(second.getByText("Failed (exit code 2)")).toBeDefined();
    expect(second.getByText("demo/model-2")).toBeDefined();
    expect(await second.findByText(/No files changed/)).toBeDefined();
  });

  it("keeps one, after a question", async () => {
    const asked = await open();
    await userEvent.click(await screen.findByRole("button", { name: "Keep attempt 2…" }));
    await userEvent.click(screen.getByRole("button", { name: "Keep this one" }));
    expect(asked.find(({ path }) => path.endsWith("/keep"))?.body).toEqual({ session_id: "ses_2" });
    const second = within(screen.getByRole("region", { name: "Attempt 2" }));
    expect(await second.findByText("Kept")).toBeDefined();
    expect(screen.queryByRole("button", { name: /^Keep attempt/ })).toBeNull();
  });

  it("is only read by viewers", async () => {
    await open(COMPARISON, "viewer");
    await vi.waitFor(() => expect(screen.getAllByText(/No files changed/)).toHaveLength(2));
    expect(screen.queryByRole("button", { name: /^Keep attempt/ })).toBeNull();
  });

  it("says what became of the others", async () => {
    await open({
      ...COMPARISON,
      kept_id: "ses_1",
      attempts: [attempt(1), attempt(2, { workspace_state: "removing" })],
    });
    expect(screen.getByText(/Not kept. Its workspace can be restored/)).toBeDefined();
  });
});

describe("starting several attempts", () => {
  it("sends the draft to as many forks as chosen", async () => {
    const asked = serve({
      "POST /api/v1/sessions/ses_1/comparisons": { status: 201, body: COMPARISON },
    });
    renderInSession(<StartAttempts sessionId="ses_1" />, snapshot());
    await userEvent.click(screen.getByRole("button", { name: "Run several attempts" }));
    await userEvent.type(screen.getByLabelText("Prompt"), "Make it coffee.");
    await userEvent.selectOptions(screen.getByLabelText("Attempts"), "2");
    await userEvent.type(screen.getByLabelText(/Test command/), "make test");
    await userEvent.click(screen.getByRole("button", { name: "Start 2 attempts" }));
    expect(asked.find(({ method }) => method === "POST")?.body).toEqual({
      text: "Make it coffee.",
      models: ["", ""],
      attachments: [],
      test_command: "make test",
    });
  });
});
