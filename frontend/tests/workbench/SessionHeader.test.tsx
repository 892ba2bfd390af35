import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { shellStore } from "../../src/app/shellStore";
import { PullRequestPanel } from "../../src/repositories/PullRequestPanel";
import { WorkingCopy } from "../../src/repositories/WorkingCopy";
import { SessionProvider } from "../../src/store/SessionContext";
import { HeaderActions } from "../../src/workbench/HeaderActions";
import { SessionHeader } from "../../src/workbench/SessionHeader";
import { sideStore } from "../../src/workbench/sideStore";
import { session, snapshot } from "../support/builders";
import { gitState } from "../support/git";
import { failure, meAs, PROJECT, renderOnPage, serve, stillConnection } from "../support/render";

const PULL = { repository: "tea/shop", pull_request: null, problem: "", can_open: true };

/** The header's actions and, as in the side panel, where they lead. */
function open(git = {}, pull = {}) {
  serve({
    "GET /api/v1/sessions/ses_1/git": { body: gitState(git) },
    "POST /api/v1/sessions/ses_1/git/update": { body: gitState(git) },
    "GET /api/v1/sessions/ses_1/pull-request": { body: { ...PULL, ...pull } },
    "GET /api/v1/sessions/ses_1/diff": { body: { files: [], more: 0 } },
  });
  return renderOnPage(
    <SessionProvider value={stillConnection()}>
      <HeaderActions sessionId="ses_1" />
      <div id="side-panel">
        <WorkingCopy sessionId="ses_1" />
        <PullRequestPanel sessionId="ses_1" />
      </div>
    </SessionProvider>,
  );
}

beforeEach(() => {
  queryClient.clear();
  sideStore.setState({ tab: "Files" });
  shellStore.setState({ right: false });
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  Element.prototype.scrollIntoView ??= () => undefined;
});
afterEach(() => vi.unstubAllGlobals());

describe("the next step of the repository in the header", () => {
  it.each([
    ["Commit", {}, "Commits"],
    ["Open a PR", { uncommitted: [] }, "Pull request"],
  ])("is %s, and leads to it in the side panel", async (name, git, region) => {
    open(git);
    await screen.findByRole("region", { name: region });
    await userEvent.click(await screen.findByRole("button", { name }));
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("region", { name: region })));
    expect(sideStore.getState().tab).toBe("Diff");
    expect(shellStore.getState().right).toBe(true);
  });

  it("is the pull request for who may not commit", async () => {
    open({ can_change: false });
    expect(await screen.findByRole("button", { name: "Open a PR" })).toBeDefined();
    expect(screen.queryByRole("button", { name: "Commit" })).toBeNull();
  });

  it("is nothing without a repository", async () => {
    open({ repository: "" }, { repository: "" });
    await waitFor(() => expect(queryClient.isFetching()).toBe(0));
    expect(screen.queryByRole("button")).toBeNull();
  });
});

describe("the title", () => {
  const by = (id: string) => ({ id, name: "A", email: "a@example.org" });
  const show = (role: string, answer = {}, started = by("usr_1")) => {
    const asked = serve({
      "GET /api/v1/me": meAs(role),
      "GET /api/v1/projects/prj_1": PROJECT,
      "GET /api/v1/sessions/ses_1/git": { body: gitState({ repository: "" }) },
      "GET /api/v1/sessions/ses_1/pull-request": { body: { ...PULL, repository: "" } },
      "GET /api/v1/sessions/ses_1/diff": { body: { files: [], more: 0 } },
      ...answer,
    });
    const shot = snapshot({ session: session({ title: "Tea", created_by: started }) });
    renderOnPage(
      <SessionProvider value={stillConnection(shot)}>
        <SessionHeader sessionId="ses_1" />
      </SessionProvider>,
    );
    return asked;
  };
  const title = () => screen.getByTestId<HTMLButtonElement>("session-title");

  it("is changed by keyboard, and has the focus again", async () => {
    const asked = show("member", { "PATCH /api/v1/sessions/ses_1": { body: session() } });
    await waitFor(() => expect(title().disabled).toBe(false));
    title().focus();
    await userEvent.keyboard("{Enter}Coffee{Enter}");
    await waitFor(() => expect(document.activeElement).toBe(title()));
    expect(asked.find(({ method }) => method === "PATCH")?.body).toEqual({ title: "Coffee" });
  });

  it("keeps what was typed if it is refused, and says why", async () => {
    show("member", {
      "PATCH /api/v1/sessions/ses_1": failure(503, "unavailable", "The site is being restarted."),
    });
    await waitFor(() => expect(title().disabled).toBe(false));
    title().focus();
    await userEvent.keyboard("{Enter}Coffee{Enter}");
    expect((await screen.findByRole("alert")).textContent).toContain("The site is being restarted.");
    expect(screen.getByLabelText<HTMLInputElement>("Session title").value).toBe("Coffee");
  });

  it("is not changed by a colleague who is no admin", async () => {
    show("member", {}, by("usr_2"));
    await waitFor(() => expect(queryClient.isFetching()).toBe(0));
    expect(title().disabled).toBe(true);
  });
});
