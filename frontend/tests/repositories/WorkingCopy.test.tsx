import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { GitState } from "../../src/api/workingCopy";
import { queryClient } from "../../src/app/queries";
import { WorkingCopy } from "../../src/repositories/WorkingCopy";
import { SessionProvider } from "../../src/store/SessionContext";
import { gitState, HEAD } from "../support/git";
import { failure, renderOnPage, serve, stillConnection } from "../support/render";

const PATH = "/api/v1/sessions/ses_1/git";
const FETCHED = { [`POST ${PATH}/update`]: { body: gitState() } };
const UNPUSHED = { uncommitted: [], unpushed: [{ commit: HEAD, subject: "Mend it" }] };
const show = () =>
  renderOnPage(
    <SessionProvider value={stillConnection()}>
      <WorkingCopy sessionId="ses_1" />
    </SessionProvider>,
  );
const press = (name: string) => userEvent.click(screen.getByRole("button", { name }));

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

it("commits with a message, and then offers to push", async () => {
  const asked = serve({
    [`GET ${PATH}`]: { body: gitState() },
    ...FETCHED,
    [`POST ${PATH}/draft`]: {
      body: { title: "Totals", body: "Because.", by_model: false, problem: "It is down.", withheld: [] },
    },
    [`POST ${PATH}/commit`]: { body: gitState(UNPUSHED) },
    [`POST ${PATH}/push`]: { body: gitState({ uncommitted: [] }) },
  });
  show();
  await screen.findByText("a.txt (added)");
  expect(screen.queryByRole("button", { name: "Push" })).toBeNull();
  await press("Commit…");
  await screen.findByText("No model drafted this. It is down.");
  expect(screen.getByLabelText("Message")).toHaveProperty("value", "Totals\n\nBecause.");
  await userEvent.clear(screen.getByLabelText("Message"));
  await userEvent.type(screen.getByLabelText("Message"), "Mend it");
  await press("Commit");
  await screen.findByText("aaaaaaaa Mend it");
  expect(document.activeElement).toBe(screen.getByRole("region", { name: "Commits" }));
  await press("Push");
  await screen.findByText(/Everything is committed on/);
  const sent = asked.filter((one) => one.method === "POST").map((one) => one.body);
  expect(sent.slice(2)).toEqual([{ message: "Mend it" }, { commit: HEAD, workflows: false }]);
});

it("asks once more before it pushes files for a CI service", async () => {
  const asked = serve({
    [`GET ${PATH}`]: { body: gitState(UNPUSHED) },
    [`POST ${PATH}/update`]: { body: gitState(UNPUSHED) },
    [`POST ${PATH}/push`]: failure(409, "push_asks", "Changing files for a CI service needs permission."),
  });
  show();
  await screen.findByText("aaaaaaaa Mend it");
  await press("Push");
  await screen.findByText("Changing files for a CI service needs permission.");
  await press("Push anyway");
  const pushes = asked.filter(({ path }) => path.endsWith("/push")).map(({ body }) => body);
  expect(pushes[1]).toEqual({ commit: HEAD, workflows: true });
  await screen.findByRole("button", { name: "Push" }); // the second press has not helped, so a third does not either
});

it("shows what another tab has committed meanwhile, instead of a form that cannot help", async () => {
  const served = {
    [`GET ${PATH}`]: { body: gitState() },
    ...FETCHED,
    [`POST ${PATH}/draft`]: {
      body: { title: "Totals", body: "", by_model: true, problem: "", withheld: [] },
    },
    [`POST ${PATH}/commit`]: failure(409, "nothing_to_commit", "Committed already."),
  };
  serve(served);
  show();
  await screen.findByText("a.txt (added)");
  await press("Commit…");
  await screen.findByText(/A model drafted this/);
  served[`GET ${PATH}`] = { body: gitState(UNPUSHED) };
  await press("Commit");
  await screen.findByText("aaaaaaaa Mend it");
  expect(screen.queryByLabelText("Message")).toBeNull();
});

it("shows viewers no buttons", async () => {
  serve({ [`GET ${PATH}`]: { body: gitState({ can_change: false }) } });
  show();
  await screen.findByText("a.txt (added)");
  expect(screen.queryByRole("button")).toBeNull();
});

it("does not say that everything is committed where git has no repository", async () => {
  const problem = "The workspace has no git repository any more.";
  serve({ [`GET ${PATH}`]: { body: gitState({ uncommitted: [], head: "", current_branch: "", problem }) } });
  show();
  await screen.findByText(problem);
  expect(screen.queryByText(/Everything is committed/)).toBeNull();
});

it("offers no second press to people whose push decides nothing", async () => {
  serve({
    [`GET ${PATH}`]: { body: gitState({ ...UNPUSHED, decides: false }) },
    [`POST ${PATH}/update`]: { body: gitState({ ...UNPUSHED, decides: false }) },
    [`POST ${PATH}/push`]: failure(409, "push_asks", "Pushing needs a person's permission."),
  });
  show();
  await screen.findByText("aaaaaaaa Mend it");
  await press("Push");
  await screen.findByText("Pushing needs a person's permission.");
  expect(screen.queryByRole("button", { name: "Push anyway" })).toBeNull();
});

it("says that the base branch has moved, and rebases", async () => {
  const conflict: Partial<GitState> = {
    operation: "rebase",
    uncommitted: [{ path: "a.txt", status: "conflict" }],
  };
  const served = {
    [`GET ${PATH}`]: { body: gitState({ uncommitted: [] }) },
    [`POST ${PATH}/update`]: { body: gitState({ uncommitted: [], behind: 2 }) },
    [`POST ${PATH}/resolve`]: { status: 202, body: {} },
  };
  const asked = serve(served);
  show();
  await screen.findByText("main has 2 new commits.");
  served[`POST ${PATH}/update`] = { body: gitState(conflict) };
  await press("Rebase onto main");
  await screen.findByText("A rebase with main is not finished: 1 file in conflict.");
  expect(screen.queryByRole("button", { name: "Commit…" })).toBeNull();
  await press("Have the agent resolve them");
  const sent = asked.filter((one) => one.method === "POST").map((one) => one.path);
  expect(sent).toEqual([`${PATH}/update`, `${PATH}/update`, `${PATH}/resolve`]);
});

it("recommends a merge once the branch is pushed", async () => {
  const moved = { uncommitted: [], behind: 1, pushed: true };
  serve({ [`GET ${PATH}`]: { body: gitState(moved) }, [`POST ${PATH}/update`]: { body: gitState(moved) } });
  show();
  await screen.findByText(/main has 1 new commit\. A rebase replaces commits that are pushed/);
  const names = screen.getAllByRole("button").map((button) => button.textContent);
  expect(names).toEqual(["Merge main", "Rebase onto main", "New session from this branch"]);
});
