import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ContextPanel } from "../../src/context/ContextPanel";
import { session, snapshot } from "../support/builders";
import { renderInSession, serve } from "../support/render";

const item = (kind: string, name: string, tokens: number, count = 1, names: string[] = []) => ({
  kind,
  name,
  tokens,
  count,
  names,
});
const CONTEXT = {
  counted: 12_000,
  estimated: 9_150,
  limit: 100_000,
  message_id: "msg_9",
  agent: "build",
  model: "demo",
  items: [
    item("agent", "build", 800),
    item("environment", "", 100),
    item("instructions", "AGENTS.md", 250),
    item("tool", "read", 400),
    item("tool", "bash", 600),
    item("results", "read", 7_000, 3),
  ],
  folders: ["src"],
  skills: ["release"],
};
const PROMPT = {
  message_id: "msg_9",
  agent: "build",
  model: "demo",
  text: "You are careful.\u202e Be kind.",
  blocks: [
    { kind: "agent", name: "build", names: [], tokens: 800 },
    { kind: "instructions", name: "AGENTS.md", names: [], tokens: 250 },
    { kind: "skills", name: "", names: ["release"], tokens: 20 },
  ],
  tools: [{ name: "read", tokens: 400 }],
  last_used_at: "2026-01-01T12:00:00Z",
};
const READ = "GET /api/v1/sessions/ses_1/context";

afterEach(() => vi.unstubAllGlobals());

async function open(context: object, over = {}) {
  const asked = serve({
    [READ]: { body: context },
    "POST /api/v1/sessions/ses_1/compact": { status: 202, body: {} },
    "GET /api/v1/messages/msg_9/system-prompt": { body: PROMPT },
  });
  renderInSession(<ContextPanel sessionId="ses_1" />, snapshot(over));
  await screen.findByTestId("context-panel");
  return asked;
}

describe("the context of a session", () => {
  it("says what fills it, and that the provider counted the sum", async () => {
    await open(CONTEXT);
    expect(screen.getByText("12,000 of 100,000 tokens")).toBeDefined();
    expect(screen.getByText(/Counted by the provider/)).toBeDefined();
    const groups = screen.getAllByTestId("context-group").map((group) => group.querySelector("summary"));
    expect(groups.map((group) => group?.textContent)).toEqual([
      "System prompt900",
      "Instructions250",
      "Tools1.0k",
      "Tool results7.0k",
    ]);
    expect(screen.getByText("read, 3 calls")).toBeDefined();
    expect(screen.getByText(/contain the skills release/)).toBeDefined();
    expect(screen.getByText(/the instructions of src/)).toBeDefined();
  });

  it("says when the sum is only estimated and the limit unknown", async () => {
    await open({ ...CONTEXT, counted: 0, limit: 0 });
    expect(screen.getByText("About 9,150 tokens")).toBeDefined();
    expect(screen.getByText(/has not counted this conversation yet/)).toBeDefined();
    expect(screen.getByText(/size of this model's context is unknown/)).toBeDefined();
  });

  it("is compacted by those who may prompt", async () => {
    const asked = await open(CONTEXT, { can_act: true, session: session({ status: "idle" }) });
    await userEvent.click(screen.getByRole("button", { name: "Compact now" }));
    expect(asked.some(({ path }) => path.endsWith("/compact"))).toBe(true);
  });

  it("is not compacted by viewers", async () => {
    await open(CONTEXT, { can_act: false });
    expect(screen.queryByRole("button", { name: "Compact now" })).toBeNull();
  });

  it("shows the system prompt as it was sent, with hidden characters visible", async () => {
    await open(CONTEXT);
    await userEvent.click(screen.getByRole("button", { name: "System prompt as it was sent" }));
    const text = await screen.findByLabelText("System prompt");
    expect(text.textContent).toBe("You are careful.⟨U+202E⟩ Be kind.");
    const dialog = within(screen.getByRole("dialog"));
    expect(dialog.getByText("AGENTS.md")).toBeDefined();
    expect(dialog.getByText("release")).toBeDefined();
  });

  it("says that nothing was sent before the first answer", async () => {
    serve({ [READ]: { body: { ...CONTEXT, items: [], message_id: null } } });
    renderInSession(<ContextPanel sessionId="ses_1" />);
    expect(await screen.findByText(/Nothing has been sent to a model/)).toBeDefined();
  });
});
