import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AgentPage } from "../../src/agents/AgentPage";
import { AgentsPage } from "../../src/agents/AgentsPage";
import { NEW_AGENT_NAME } from "../../src/agents/paths";
import { queryClient } from "../../src/app/queries";
import { agent, agentRow, agents, subAgent } from "../support/agents";
import { failure, meAs, PROJECT, renderOnPage, serve } from "../support/render";

const build = agent("build", {
  sources: [...agent("b").sources, { origin: "project", id: "agt_1", path: "", fields: ["prompt"] }],
  prompt: "Be brief.",
});
const ROW = agentRow({ document: { prompt: "Be brief." } });
const answers = (over = {}) => ({
  "GET /api/v1/me": meAs("admin"),
  "GET /api/v1/projects/prj_1": PROJECT,
  "GET /api/v1/projects/prj_1/agents": {
    body: agents([build, subAgent("explore", { problems: ["The model 'x' is not offered."] })]),
  },
  "GET /api/v1/agents/agt_1": { body: ROW },
  ...over,
});

beforeEach(() => {
  queryClient.clear();
  localStorage.clear();
});
afterEach(() => vi.unstubAllGlobals());

describe("the agents of a project", () => {
  it("are listed with what they are for and where they come from", async () => {
    serve(answers());
    renderOnPage(<AgentsPage place="prj_1" />);
    const lines = await screen.findAllByTestId("agent-line");
    expect(lines[0]?.textContent).toContain("What build is for");
    expect(lines[0]?.textContent).toContain("Built in, changed by the project");
    expect(lines[0]?.textContent).toContain("Default");
    expect(lines[1]?.textContent).toContain("1 setting ignored");
    expect(lines[1]?.getAttribute("href")).toBe("/agents/prj_1/explore");
    expect(screen.getByRole("link", { name: "New agent" })).toBeDefined();
  });

  it("are listed with the files that are none, and why", async () => {
    const problems = [".opencode/agent/tea.md: Its front matter was not understood."];
    serve(answers({ "GET /api/v1/projects/prj_1/agents": { body: agents([build], { problems }) } }));
    renderOnPage(<AgentsPage place="prj_1" />);
    const list = await screen.findByRole("list", { name: "Invalid agent files" });
    expect(list.textContent).toContain(problems[0]);
  });

  it("cannot be added by those who may not", async () => {
    serve(answers({ "GET /api/v1/projects/prj_1/agents": { body: agents([build], { can_edit: false }) } }));
    renderOnPage(<AgentsPage place="prj_1" />);
    await screen.findByTestId("agent-line");
    expect(screen.queryByRole("link", { name: "New agent" })).toBeNull();
  });
});

describe("an agent", () => {
  const prompt = () => screen.findByLabelText<HTMLTextAreaElement>("Instructions");

  it("is saved with only the fields that were changed, on top of the version that was looked at", async () => {
    const asked = serve(answers({ "PATCH /api/v1/agents/agt_1": { body: ROW } }));
    renderOnPage(<AgentPage place="prj_1" name="build" />);
    expect((await prompt()).value).toBe("Be brief.");
    await userEvent.type(await prompt(), " Always.");
    await userEvent.type(screen.getByLabelText("Maximum steps"), "0");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() =>
      expect(asked.find((item) => item.method === "PATCH")?.body).toEqual({
        document: { prompt: "Be brief. Always.", steps: 1000 },
        base_version: 3,
      }),
    );
    await waitFor(() => expect(screen.getByText("No changes.")).toBeDefined());
  });

  it("is not saved without options that cannot be read yet", async () => {
    const asked = serve(answers({ "PATCH /api/v1/agents/agt_1": { body: ROW } }));
    renderOnPage(<AgentPage place="prj_1" name="build" />);
    await userEvent.type(await prompt(), " Always.");
    await userEvent.type(screen.getByLabelText("Provider options"), "{{bad");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    expect(screen.getByText(/Correct it before you save/)).toBeDefined();
    expect(asked.some((item) => item.method === "PATCH")).toBe(false);
  });

  it("gives a field back to the places above", async () => {
    const asked = serve(answers({ "PATCH /api/v1/agents/agt_1": { body: ROW } }));
    renderOnPage(<AgentPage place="prj_1" name="build" />);
    await prompt();
    await userEvent.click(screen.getByRole("button", { name: "Reset Instructions" }));
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() =>
      expect(asked.find((item) => item.method === "PATCH")?.body).toMatchObject({
        document: { prompt: null },
      }),
    );
  });

  it("keeps the draft over a reload, until it is thrown away", async () => {
    serve(answers());
    const { unmount } = renderOnPage(<AgentPage place="prj_1" name="build" />);
    await userEvent.type(await prompt(), "!");
    unmount();
    renderOnPage(<AgentPage place="prj_1" name="build" />);
    expect((await prompt()).value).toBe("Be brief.!");
    await userEvent.click(screen.getByRole("button", { name: "Discard" }));
    expect((await prompt()).value).toBe("Be brief.");
  });

  it("keeps the draft when somebody else was faster, and says so", async () => {
    serve(
      answers({ "PATCH /api/v1/agents/agt_1": failure(409, "stale_agent", "Somebody else changed it.") }),
    );
    renderOnPage(<AgentPage place="prj_1" name="build" />);
    await userEvent.type(await prompt(), "!");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    expect((await screen.findByRole("alert")).textContent).toContain("Somebody else changed it.");
    expect((await prompt()).value).toBe("Be brief.!");
    expect(screen.getByRole("button", { name: "Load the saved version" })).toBeDefined();
  });

  it("that is new needs a name, and has the rules that were added", async () => {
    const asked = serve(answers({ "POST /api/v1/projects/prj_1/agents": { status: 201, body: ROW } }));
    renderOnPage(<AgentPage place="prj_1" name={NEW_AGENT_NAME} />);
    await userEvent.type(await prompt(), "Review.");
    expect(screen.getByText("An agent needs a name.")).toBeDefined();
    await userEvent.type(screen.getByLabelText("Name"), "review");
    await userEvent.click(screen.getByRole("button", { name: "Add rule" }));
    await userEvent.type(screen.getByLabelText("Pattern of Permissions 1"), "git *");
    await userEvent.click(screen.getByRole("button", { name: "Create agent" }));
    await waitFor(() =>
      expect(asked.find((item) => item.method === "POST")?.body).toEqual({
        name: "review",
        document: {
          prompt: "Review.",
          permission: [{ permission: "bash", pattern: "git *", action: "ask" }],
        },
      }),
    );
  });

  it("is taken back after a question that says what is lost", async () => {
    const asked = serve(answers({ "DELETE /api/v1/agents/agt_1": { status: 204 } }));
    renderOnPage(<AgentPage place="prj_1" name="build" />);
    await prompt();
    await userEvent.click(screen.getByRole("button", { name: "Remove overrides…" }));
    expect(screen.getByText(/The settings made here are lost/)).toBeDefined();
    await userEvent.click(screen.getByRole("button", { name: "Remove overrides" }));
    await waitFor(() => expect(asked.some((item) => item.method === "DELETE")).toBe(true));
  });

  it("can only be read by those who may not change it", async () => {
    serve(answers({ "GET /api/v1/projects/prj_1/agents": { body: agents([build], { can_edit: false }) } }));
    renderOnPage(<AgentPage place="prj_1" name="build" />);
    expect((await prompt()).readOnly).toBe(true);
    expect(screen.getByTestId("read-only")).toBeDefined();
    expect(screen.queryByRole("button", { name: "Save" })).toBeNull();
  });

  it("that is not there is not found", async () => {
    serve(answers());
    renderOnPage(<AgentPage place="prj_1" name="nobody" />);
    expect(await screen.findByText("There is no such agent")).toBeDefined();
  });
});
