import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { PromptBox } from "../../src/conversation/PromptBox";
import { agent, SESSION_AGENTS } from "../support/agents";
import { session, snapshot } from "../support/builders";
import { failure, openMenu, renderInSession, serve } from "../support/render";

const AGENTS = { "GET /api/v1/sessions/ses_1/agents": SESSION_AGENTS };
const box = () => screen.getByLabelText<HTMLTextAreaElement>("Prompt");

afterEach(() => {
  localStorage.clear();
  vi.unstubAllGlobals();
});

describe("the agent menu", () => {
  it("offers those that people may choose, with what they are for", async () => {
    serve(AGENTS);
    renderInSession(<PromptBox sessionId="ses_1" />);
    await openMenu(/^Agent/);
    const plan = await screen.findByRole("menuitemradio", { name: /^plan/ });
    expect(plan.textContent).toContain("What plan is for");
    expect(screen.queryByRole("menuitemradio", { name: /explore/ })).toBeNull();
    expect(screen.getByRole("menuitemradio", { name: /^build/ }).getAttribute("aria-checked")).toBe("true");
  });

  it("switches the session's agent", async () => {
    const asked = serve({ ...AGENTS, "PATCH /api/v1/sessions/ses_1": { body: session({ agent: "plan" }) } });
    const { connection } = renderInSession(<PromptBox sessionId="ses_1" />);
    await openMenu(/^Agent/);
    await userEvent.click(await screen.findByRole("menuitemradio", { name: /^plan/ }));
    expect(asked.find((item) => item.method === "PATCH")?.body).toEqual({ agent: "plan" });
    await waitFor(() => expect(connection.showSession).toHaveBeenCalled());
  });

  it("names the model that the agent works with", async () => {
    const items = [agent("build", { model: "careful-1" })];
    serve({ "GET /api/v1/sessions/ses_1/agents": { body: { ...SESSION_AGENTS.body, items } } });
    renderInSession(<PromptBox sessionId="ses_1" />, snapshot({ session: session({ model: "" }) }));
    expect(await screen.findByText("careful-1")).toBeDefined();
  });

  it("knows an agent that was made since the page was opened", async () => {
    const asked = serve(AGENTS);
    renderInSession(<PromptBox sessionId="ses_1" />);
    await screen.findByTestId("agent-menu");
    await waitFor(() => expect(asked.some(({ path }) => path.endsWith("/agents"))).toBe(true));
    const before = asked.length;
    await openMenu(/^Agent/);
    await waitFor(() =>
      expect(asked.slice(before).map((item) => item.path)).toEqual(["/api/v1/sessions/ses_1/agents"]),
    );
  });

  it("says when that did not work", async () => {
    serve({ ...AGENTS, "PATCH /api/v1/sessions/ses_1": failure(409, "stale", "No.") });
    renderInSession(<PromptBox sessionId="ses_1" />);
    await openMenu(/^Agent/);
    await userEvent.click(await screen.findByRole("menuitemradio", { name: /^plan/ }));
    expect(await screen.findByText("Could not change it. Try again.")).toBeDefined();
  });
});

describe("@ in the prompt", () => {
  async function type(words: string) {
    const asked = serve({ ...AGENTS, "POST /api/v1/sessions/ses_1/prompts": { status: 202, body: {} } });
    renderInSession(<PromptBox sessionId="ses_1" />);
    await waitFor(() => expect(asked.some(({ path }) => path.endsWith("/agents"))).toBe(true));
    await userEvent.type(box(), words);
    return asked;
  }
  const names = () =>
    within(screen.getByTestId("mentions"))
      .getAllByRole("option", { hidden: true })
      .map((option) => option.id.split("-").pop());

  it("names the agents that can be called", async () => {
    await type("ask @");
    expect(names()).toEqual(["explore", "general"]);
  });

  it("takes the one that fits with Enter, which does not send then", async () => {
    const asked = await type("ask @gen{Enter}to look");
    expect(box().value).toBe("ask @general to look");
    expect(asked.filter((item) => item.method === "POST")).toEqual([]);
  });

  it("is chosen with the arrow keys, and the box says which one is meant", async () => {
    await type("@{ArrowDown}");
    expect(box().getAttribute("aria-activedescendant")).toMatch(/general$/);
    await userEvent.keyboard("{Tab}");
    expect(box().value).toBe("@general ");
  });

  it("is left with Escape, which stays in the box", async () => {
    await type("@{Escape}");
    expect(screen.queryByTestId("mentions")).toBeNull();
    expect(document.activeElement).toBe(box());
  });

  it("is no list where nothing fits", async () => {
    await type("me@exp @zzz");
    expect(screen.queryByTestId("mentions")).toBeNull();
  });
});
