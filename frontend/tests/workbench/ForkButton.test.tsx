import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { TurnEnd } from "../../src/conversation/TurnEnd";
import { ForkButton } from "../../src/workbench/ForkButton";
import { message, session, snapshot, turn } from "../support/builders";
import { renderInSession, serve } from "../support/render";

const FORK = "POST /api/v1/sessions/ses_1/fork";
const MADE = { status: 201, body: { session: session({ id: "ses_2" }), files: "copied", files_at: null } };
const WHOLE = {
  turns: [turn({ state: "completed" })],
  messages: [message({ id: "msg_1", role: "user" }), message({ id: "msg_2" })],
};

afterEach(() => vi.unstubAllGlobals());

describe("forking a session", () => {
  it("takes all of it, with files of its own unless the same are chosen, and leads there", async () => {
    const asked = serve({ [FORK]: MADE });
    renderInSession(<ForkButton sessionId="ses_1" />, snapshot(WHOLE));
    fireEvent.click(screen.getByRole("button", { name: "Fork this session" }));
    fireEvent.click(screen.getByRole("radio", { name: /The same workspace/ }));
    fireEvent.click(screen.getByRole("button", { name: "Fork session" }));
    await waitFor(() => expect(window.location.pathname).toBe("/sessions/ses_2"));
    expect(asked.find((one) => one.method === "POST")?.body).toEqual({
      workspace: "same",
      files: "now",
      title: "",
    });
  });

  it("says why it was not forked", async () => {
    const error = { code: "workspace_limit", message: "This team has 3 workspaces.", hint: "", fields: {} };
    serve({ [FORK]: { status: 409, body: { error } } });
    renderInSession(<ForkButton sessionId="ses_1" />, snapshot(WHOLE));
    fireEvent.click(screen.getByRole("button", { name: "Fork this session" }));
    fireEvent.click(screen.getByRole("button", { name: "Fork session" }));
    expect(await screen.findByText("This team has 3 workspaces.")).toBeDefined();
  });

  it.each([
    ["as they were", null, "then"],
    ["as they are now", /As they are now/, "now"],
  ])(
    "from the end of a turn takes what was said up to there, and the files %s",
    async (_how, name, files) => {
      const asked = serve({ [FORK]: MADE });
      renderInSession(<TurnEnd turnId="trn_1" latest={false} />, snapshot(WHOLE));
      fireEvent.click(screen.getByRole("button", { name: "Fork from here" }));
      if (name) fireEvent.click(screen.getByRole("radio", { name }));
      fireEvent.click(screen.getByRole("button", { name: "Fork session" }));
      await waitFor(() => expect(asked.some((one) => one.method === "POST")).toBe(true));
      const body = { workspace: "copy", files, title: "", message_id: "msg_2" };
      expect(asked.find((one) => one.method === "POST")?.body).toEqual(body);
    },
  );

  it.each([
    ["who may only look", { ...WHOLE, can_act: false }],
    ["a sub-agent's session", { ...WHOLE, session: session({ parent_id: "ses_0" }) }],
  ])("is not offered to %s", (_who, given) => {
    serve({});
    renderInSession(
      <>
        <ForkButton sessionId="ses_1" />
        <TurnEnd turnId="trn_1" latest={true} />
      </>,
      snapshot(given),
    );
    expect(screen.queryByRole("button", { name: /Fork/ })).toBeNull();
  });
});
