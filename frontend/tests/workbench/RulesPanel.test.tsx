import { screen, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { RulesPanel } from "../../src/workbench/RulesPanel";
import { renderInSession, serve } from "../support/render";

const ASK = { permission: "bash", pattern: "git push *", action: "ask" };
const DENY = { permission: "bash", pattern: "curl *", action: "deny" };
const RULES = {
  agent: "build",
  preset: "balanced",
  incomplete_commands: "allow",
  versions: { site: 0, team: 2, project: 0 },
  preferences: [
    { name: "defaults", rules: [ASK, ASK], tightens_only: false },
    { name: "project file", rules: [DENY], tightens_only: true },
  ],
  limits: [
    { name: "team limits", rules: [DENY] },
    { name: "parent: site limits", rules: [DENY] },
  ],
  hidden_tools: ["webfetch"],
  project_files: [
    { path: "agentsite.json", problem: "", permission: { bash: "ask" } },
    { path: "opencode.json", problem: "it is no JSON object.", permission: {} },
  ],
  inherited: [{ name: "parent: site limits", rules: [DENY] }],
};

afterEach(() => vi.unstubAllGlobals());

describe("the rules of a session", () => {
  it("show layers, limits, what is inherited, hidden tools and files with their problems", async () => {
    serve({ "GET /api/v1/sessions/ses_1/rules": { body: RULES } });
    renderInSession(<RulesPanel sessionId="ses_1" />);
    const limits = within(await screen.findByRole("region", { name: "Limits" }));
    expect(
      limits.getAllByTestId("layer").map((layer) => within(layer).getByTestId("layer-name").textContent),
    ).toEqual(["A limit of your team", "From the parent session: a limit of the site"]);
    expect(screen.getByText(/Commands that cannot be read completely run unasked/)).toBeDefined();
    const layers = within(screen.getByRole("region", { name: "Layers" }));
    expect(layers.getByText("can only make rules stricter")).toBeDefined();
    expect(layers.getByText("deny bash curl *")).toBeDefined();
    expect(screen.getByText("webfetch")).toBeDefined();
    expect(screen.getByText(/Not used: it is no JSON object/)).toBeDefined();
    expect(screen.getByText("1 permission")).toBeDefined();
    await screen.findByText(/Nobody has answered “always”/);
  });
});
