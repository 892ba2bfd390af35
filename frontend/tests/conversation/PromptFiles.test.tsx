import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fileDraftOf } from "../../src/conversation/draftFiles";
import { PromptBox } from "../../src/conversation/PromptBox";
import { failure, renderInSession, serve } from "../support/render";
import { attachment, FakeUpload, fakeUploads } from "../support/uploads";

const PROMPTS = "POST /api/v1/sessions/ses_1/prompts";
const TAKEN = { status: 202, body: { turn: {}, message: {} } };
const send = () => screen.getByRole<HTMLButtonElement>("button", { name: "Send" });
const picture = () => new File(["x"], "tea.png", { type: "image/png" });

beforeEach(() => void fakeUploads());
afterEach(() => {
  const draft = fileDraftOf("ses_1");
  draft.take(); // what has been sent is not taken back from the server
  for (const file of draft.store.getState().files) draft.remove(file.key);
  localStorage.clear();
  vi.unstubAllGlobals();
});

async function attach() {
  await userEvent.upload(screen.getByTestId("attach-input"), picture());
}
const arrive = () => act(async () => FakeUpload.all[0]?.answer(201, attachment("att_1")));

describe("files in the prompt box", () => {
  it("hold the prompt back until they have been sent, and go with it", async () => {
    const asked = serve({ [PROMPTS]: TAKEN });
    renderInSession(<PromptBox sessionId="ses_1" />);
    await attach();
    expect(screen.getByTestId("draft-file").textContent).toContain("0 % of 1 B");
    expect(send().disabled).toBe(true);
    await arrive();
    expect(send().disabled).toBe(false);
    await userEvent.click(send());
    await waitFor(() =>
      expect(asked.find((item) => item.method === "POST")?.body).toEqual({
        text: "",
        attachments: ["att_1"],
      }),
    );
    expect(screen.queryByTestId("draft-file")).toBeNull();
  });

  it("come back when the site refuses the prompt", async () => {
    serve({ [PROMPTS]: failure(400, "bad_input", "This session has no file.") });
    renderInSession(<PromptBox sessionId="ses_1" />);
    await attach();
    await arrive();
    await userEvent.type(screen.getByLabelText("Prompt"), "look{Enter}");
    expect(await screen.findByRole("alert")).toBeDefined();
    expect(screen.getByTestId("draft-file").dataset.state).toBe("ready");
  });

  it("can be pasted and dropped", async () => {
    serve({});
    renderInSession(<PromptBox sessionId="ses_1" />);
    fireEvent.paste(screen.getByLabelText("Prompt"), { clipboardData: { files: [picture()] } });
    fireEvent.drop(window, { dataTransfer: { types: ["Files"], files: [picture()] } });
    expect(await screen.findAllByTestId("draft-file")).toHaveLength(2);
  });

  it("can be taken away again", async () => {
    serve({});
    renderInSession(<PromptBox sessionId="ses_1" />);
    await attach();
    await userEvent.click(screen.getByRole("button", { name: "Remove tea.png" }));
    expect(screen.queryByTestId("draft-file")).toBeNull();
  });
});
