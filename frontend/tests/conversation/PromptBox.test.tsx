import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { writeDraft } from "../../src/conversation/draft";
import { PromptBox } from "../../src/conversation/PromptBox";
import { upsertMessage, upsertPart } from "../../src/store/reducer";
import { message, part, session, snapshot } from "../support/builders";
import { failure, renderInSession, serve } from "../support/render";

const PROMPTS = "POST /api/v1/sessions/ses_1/prompts";
const TAKEN = { status: 202, body: { turn: {}, message: {} } };
const stored = () => localStorage.getItem("agentsite.draft.ses_1");
const box = () => screen.getByLabelText<HTMLTextAreaElement>("Prompt");

afterEach(() => vi.unstubAllGlobals());

describe("the prompt box", () => {
  it("sends with Enter, breaks the line with Shift+Enter", async () => {
    const asked = serve({ [PROMPTS]: TAKEN });
    renderInSession(<PromptBox sessionId="ses_1" />);
    await userEvent.type(box(), "one{Shift>}{Enter}{/Shift}two{Enter}");
    await waitFor(() =>
      expect(asked.find((item) => item.method === "POST")?.body).toEqual({ text: "one\ntwo" }),
    );
    await waitFor(() => expect(stored()).toBeNull());
    expect(box().value).toBe("");
  });

  it("keeps a draft over a reload", async () => {
    serve({});
    const { unmount } = renderInSession(<PromptBox sessionId="ses_1" />);
    await userEvent.type(box(), "half a thought");
    unmount();
    renderInSession(<PromptBox sessionId="ses_1" />);
    expect(box().value).toBe("half a thought");
  });

  it("gives the words back when the site cannot be reached", async () => {
    serve({ [PROMPTS]: new TypeError("network") });
    renderInSession(<PromptBox sessionId="ses_1" />);
    await userEvent.type(box(), "do it{Enter}");
    expect(await screen.findByRole("alert")).toBeDefined();
    expect(box().value).toBe("do it");
    expect(stored()).toBe("do it");
  });

  it("says what the site says when it refuses", async () => {
    serve({ [PROMPTS]: failure(413, "too_large", "The prompt is too long.", "Send less at once.") });
    renderInSession(<PromptBox sessionId="ses_1" />);
    await userEvent.type(box(), "long{Enter}");
    expect((await screen.findByRole("alert")).textContent).toContain(
      "The prompt is too long.Send less at once.",
    );
  });

  it("drops the words after all when the conversation shows that they arrived", async () => {
    serve({ [PROMPTS]: new TypeError("the answer got lost") });
    const { connection } = renderInSession(<PromptBox sessionId="ses_1" />);
    await userEvent.type(box(), "do it{Enter}");
    await screen.findByRole("alert");
    act(() =>
      connection.store.setState((state) =>
        upsertPart(upsertMessage(state, message({ role: "user" })), part({ text: "do it" })),
      ),
    );
    expect(box().value).toBe("");
    expect(screen.queryByRole("alert")).toBeNull();
    expect(stored()).toBeNull();
  });

  it("offers stop and queue while the agent works", async () => {
    const asked = serve({ "POST /api/v1/sessions/ses_1/abort": { status: 202, body: session() } });
    renderInSession(<PromptBox sessionId="ses_1" />, snapshot({ session: session({ status: "running" }) }));
    expect(screen.getByRole("button", { name: "Queue" })).toBeDefined();
    await userEvent.click(screen.getByRole("button", { name: "Stop" }));
    expect(asked.some((item) => item.path.endsWith("/abort"))).toBe(true);
  });

  it("does not send blank prompts", async () => {
    const asked = serve({});
    renderInSession(<PromptBox sessionId="ses_1" />);
    await userEvent.type(box(), "   {Enter}");
    expect(asked.filter((item) => item.method === "POST")).toEqual([]);
  });

  it("is not there for people who may only watch", () => {
    serve({});
    writeDraft("ses_1", "");
    renderInSession(<PromptBox sessionId="ses_1" />, snapshot({ can_act: false }));
    expect(screen.queryByLabelText("Prompt")).toBeNull();
    expect(screen.getByText(/You can watch this session/)).toBeDefined();
  });

  it("of an archived session says why nothing can be sent, and restores the session", async () => {
    const asked = serve({ "PATCH /api/v1/sessions/ses_1": { body: session({ archived: false }) } });
    writeDraft("ses_1", "half a thought");
    const shot = snapshot({ session: session({ archived: true }) });
    const { connection } = renderInSession(<PromptBox sessionId="ses_1" />, shot);
    expect((await screen.findByRole("status")).textContent).toContain("This session is archived.");
    expect(screen.queryByLabelText("Prompt")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Restore from the archive" }));
    await waitFor(() => expect(connection.showSession).toHaveBeenCalledWith(session({ archived: false })));
    expect(asked.find((item) => item.method === "PATCH")?.body).toEqual({ archived: false });
    act(() => connection.store.setState({ session: session() }));
    expect(box().value).toBe("half a thought");
    expect(document.activeElement).toBe(box());
  });
});
