import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { PromptBox } from "../../src/conversation/PromptBox";
import { failure, renderInSession, serve } from "../support/render";

const GREET = {
  server: "demo",
  server_id: "mcp_1",
  name: "greet",
  title: "Greet somebody",
  description: "Write a greeting.",
  arguments: [
    { name: "name", description: "Whom.", required: true },
    { name: "tone", description: "", required: false },
  ],
  completes: false,
};
const GUIDE = {
  server: "demo",
  uri: "guide://install",
  name: "How to install",
  description: "",
  media_type: "text/plain",
  template: false,
};
const SERVED = {
  "GET /api/v1/sessions/ses_1/agents": { body: { items: [], callable: [] } },
  "GET /api/v1/sessions/ses_1/mcp-prompts": { body: { items: [GREET] } },
  "GET /api/v1/sessions/ses_1/mcp-resources": { body: { items: [GUIDE] } },
};

const box = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Prompt" });
const option = (name: RegExp) => screen.findByRole("option", { name, hidden: true });

afterEach(() => {
  vi.unstubAllGlobals();
  queryClient.clear();
});

describe("what MCP servers offer in the prompt", () => {
  it("puts the text of a prompt into the box, for reading before sending", async () => {
    const asked = serve({
      ...SERVED,
      "POST /api/v1/sessions/ses_1/mcp-prompts": { body: { text: "Greet Ada." } },
    });
    renderInSession(<PromptBox sessionId="ses_1" />);
    await userEvent.type(box(), "/gre");
    expect((await option(/\/demo:greet/)).textContent).toContain("Greet somebody");
    await userEvent.keyboard("{Enter}");
    const get = screen.getByRole<HTMLButtonElement>("button", {
      name: "Put it into the prompt",
      hidden: true,
    });
    expect(get.disabled).toBe(true);
    await userEvent.type(screen.getByLabelText("name"), "Ada");
    await userEvent.click(get);
    await waitFor(() => expect(box().value).toBe("Greet Ada."));
    const sent = asked.filter((each) => each.method === "POST");
    expect(sent.map((each) => each.body)).toEqual([
      { server_id: "mcp_1", name: "greet", arguments: { name: "Ada" } },
    ]);
  });

  it("says why the server gives no text, and keeps what was typed", async () => {
    serve({
      ...SERVED,
      "POST /api/v1/sessions/ses_1/mcp-prompts": failure(503, "mcp_server_silent", "It hangs."),
    });
    renderInSession(<PromptBox sessionId="ses_1" />);
    await userEvent.type(box(), "/");
    await option(/\/demo:greet/);
    await userEvent.keyboard("{Enter}");
    await userEvent.type(screen.getByLabelText("name"), "Ada{Enter}");
    expect(await screen.findByText(/It hangs/)).toBeDefined();
    expect(box().value).toBe("/");
  });

  it("suggests values for an argument, and asks again only when there may be others", async () => {
    const asked = serve({
      ...SERVED,
      "GET /api/v1/sessions/ses_1/mcp-prompts": { body: { items: [{ ...GREET, completes: true }] } },
      "POST /api/v1/sessions/ses_1/mcp-prompts/complete": {
        body: { values: ["Ada", "Adele"], has_more: false },
      },
    });
    renderInSession(<PromptBox sessionId="ses_1" />);
    await userEvent.type(box(), "/");
    await option(/\/demo:greet/);
    await userEvent.keyboard("{Enter}");
    const name = screen.getByLabelText<HTMLInputElement>("name");
    await userEvent.click(name);
    const listed = () => [...(name.list?.options ?? [])].map((each) => each.value);
    await waitFor(() => expect(listed()).toEqual(["Ada", "Adele"]));
    await userEvent.type(name, "Ad");
    await userEvent.click(screen.getByLabelText("tone"));
    const sent = () => asked.filter((each) => each.method === "POST").map((each) => each.body);
    await waitFor(() => expect(sent()).toHaveLength(2));
    expect(sent()).toEqual([
      { server_id: "mcp_1", name: "greet", argument: "name", value: "", arguments: {} },
      { server_id: "mcp_1", name: "greet", argument: "tone", value: "", arguments: { name: "Ad" } },
    ]);
  });

  it("completes the address of a resource after @", async () => {
    serve(SERVED);
    renderInSession(<PromptBox sessionId="ses_1" />);
    await userEvent.type(box(), "Follow @demo");
    await option(/@demo:guide/);
    await userEvent.keyboard("{Enter}please");
    expect(box().value).toBe("Follow @demo:guide://install please");
  });

  it("is nothing for a slash within a prompt", async () => {
    serve(SERVED);
    renderInSession(<PromptBox sessionId="ses_1" />);
    await userEvent.type(box(), "cd /gre");
    expect(screen.queryByTestId("mentions")).toBeNull();
  });
});
