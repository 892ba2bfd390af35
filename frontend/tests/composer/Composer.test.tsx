import { fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Project } from "../../src/api/types";
import { queryClient } from "../../src/app/queries";
import { Composer } from "../../src/composer/Composer";
import { newSessionOf } from "../../src/composer/options";
import { readDraft } from "../../src/conversation/draft";
import { failure, renderOnPage, serve } from "../support/render";
import { page } from "../support/teams";

beforeEach(() => {
  queryClient.clear();
  localStorage.clear();
});
afterEach(() => vi.unstubAllGlobals());

const project = (over: Partial<Project> = {}) =>
  ({ id: "prj_1", team_id: "tea_1", name: "Tea", suggested_prompt: "", remove_at: null, ...over }) as Project;
const field = () => screen.getByRole("textbox", { name: "What should the agent do?" });
const SESSION = { status: 201, body: { id: "ses_1" } };
const MADE = "POST /api/v1/projects/prj_1/sessions";
const SENT = "POST /api/v1/sessions/ses_1/prompts";

describe("the composer", () => {
  it("creates the session when the prompt is sent, not before", async () => {
    const asked = serve({ [MADE]: SESSION, [SENT]: { status: 201, body: {} } });
    renderOnPage(<Composer project={project({ suggested_prompt: "Look around" })} />);
    await userEvent.click(screen.getByRole("checkbox", { name: "Private" }));
    await userEvent.type(field(), "one{Shift>}{Enter}{/Shift}two");
    expect(asked.filter(({ method }) => method === "POST")).toEqual([]);
    await userEvent.keyboard("{Enter}");
    await waitFor(() => expect(window.location.pathname).toBe("/sessions/ses_1"));
    const [made, sent] = asked.filter(({ method }) => method === "POST");
    expect(made?.body).toEqual({ new_workspace: true, shared_with: "private" });
    expect(sent?.body).toMatchObject({ text: "one\ntwo" });
  });

  it("continues in the newest workspace where a new one would be empty", async () => {
    const asked = serve({
      [MADE]: SESSION,
      [SENT]: { status: 201, body: {} },
      "GET /api/v1/workspaces": page([{ id: "wsp_7", name: "workspace 7", state: "running" }]),
    });
    renderOnPage(<Composer project={project()} />);
    await screen.findByRole("option", { name: "workspace 7" });
    await userEvent.type(field(), "go{Enter}");
    await waitFor(() =>
      expect(asked.find(({ method }) => method === "POST")?.body).toEqual({ workspace_id: "wsp_7" }),
    );
  });

  it("keeps the prompt as a draft of the session if only sending fails", async () => {
    serve({ [MADE]: SESSION, [SENT]: failure(409, "archived", "The session is archived.") });
    renderOnPage(<Composer project={project()} />);
    await userEvent.type(field(), "hello{Enter}");
    await waitFor(() => expect(readDraft("ses_1")).toBe("hello"));
    expect(readDraft("new")).toBe("");
  });

  it("keeps what is typed across a reload, and shows the files that will go with it", async () => {
    serve({});
    const shown = renderOnPage(<Composer project={project()} />);
    await userEvent.type(field(), "not yet");
    const file = new File(["x"], "notes.txt");
    fireEvent.change(screen.getByTestId("attach-input"), { target: { files: [file] } });
    await userEvent.click(screen.getByRole("button", { name: "Remove notes.txt" }));
    expect(screen.queryByText("notes.txt")).toBeNull();
    shown.unmount();
    renderOnPage(<Composer project={project()} />);
    expect((field() as HTMLTextAreaElement).value).toBe("not yet");
  });

  it("sends a branch instead of a plain new workspace", () => {
    const options = {
      workspace: "new",
      ref: " pots ",
      folder: "",
      agent: "plan",
      model: "house/large",
      effort: "high",
      isPrivate: false,
    };
    expect(newSessionOf(options)).toEqual({
      ref: "pots",
      agent: "plan",
      model: "house/large",
      effort: "high",
    });
  });

  it("opens the session in the folder that was named", async () => {
    const asked = serve({ [MADE]: SESSION, [SENT]: { status: 201, body: {} } });
    renderOnPage(<Composer project={project({ suggested_prompt: "Look around" })} />);
    await userEvent.type(screen.getByRole("textbox", { name: "Folder" }), " packages/api ");
    await userEvent.type(field(), "go{Enter}");
    await waitFor(() =>
      expect(asked.find(({ method }) => method === "POST")?.body).toEqual({
        new_workspace: true,
        folder: "packages/api",
      }),
    );
  });
});
