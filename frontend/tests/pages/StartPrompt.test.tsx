import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { readDraft } from "../../src/conversation/draft";
import { StartPrompt } from "../../src/pages/StartPrompt";
import { failure, renderOnPage, serve } from "../support/render";

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

const field = () => screen.getByRole("textbox", { name: "What should the agent do?" });
const SESSION = { status: 201, body: { id: "ses_1" } };

it("starts a session with what is typed", async () => {
  const asked = serve({
    "POST /api/v1/projects/prj_1/sessions": SESSION,
    "POST /api/v1/sessions/ses_1/prompts": { status: 201, body: {} },
  });
  renderOnPage(<StartPrompt projectId="prj_1" isPrivate />);
  await userEvent.type(field(), "one{Shift>}{Enter}{/Shift}two{Enter}");
  await waitFor(() => expect(window.location.pathname).toBe("/sessions/ses_1"));
  const [made, sent] = asked.filter(({ method }) => method === "POST");
  expect(made?.body).toEqual({ shared_with: "private" });
  expect(sent?.body).toMatchObject({ text: "one\ntwo" });
});

it("keeps the prompt as a draft if only sending fails", async () => {
  serve({
    "POST /api/v1/projects/prj_1/sessions": SESSION,
    "POST /api/v1/sessions/ses_1/prompts": failure(409, "archived", "The session is archived."),
  });
  renderOnPage(<StartPrompt projectId="prj_1" isPrivate={false} />);
  await userEvent.type(field(), "hello{Enter}");
  await waitFor(() => expect(readDraft("ses_1")).toBe("hello"));
});
