import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { PullRequestPanel } from "../../src/repositories/PullRequestPanel";
import { SessionProvider } from "../../src/store/SessionContext";
import { failure, renderOnPage, serve, stillConnection } from "../support/render";

const PATH = "/api/v1/sessions/ses_1/pull-request";
const PULL = {
  repository: "tea/shop",
  number: 7,
  url: "https://git.example/tea/shop/pulls/7",
  title: "Mend the total",
  body: "It was rounded twice.",
  draft: false,
  state: "open",
  branch: "agentsite/1",
  base: "main",
  commit: "abc",
  checks: [{ id: "1", name: "tests", state: "failure", url: "", text: "" }],
  comments: [{ id: "c1", author: "lee", body: "Why?", url: "", path: "a.txt", line: 3 }],
  checked_at: "2026-01-01T00:00:00Z",
  created_by: null,
  created_at: "2026-01-01T00:00:00Z",
};
const state = (change = {}) => ({
  pull_request: null,
  repository: "tea/shop",
  branch: "agentsite/1",
  problem: "",
  can_open: true,
  ...change,
});
const SESSION = {
  "GET /api/v1/sessions/ses_1": { body: { id: "ses_1", title: "Fix the total" } },
  "POST /api/v1/sessions/ses_1/git/draft": failure(503, "workspace_silent", "The workspace is silent."),
};

const connection = stillConnection();
const show = () =>
  renderOnPage(
    <SessionProvider value={connection}>
      <PullRequestPanel sessionId="ses_1" />
    </SessionProvider>,
  );

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

it("shows nothing in a project without a repository", async () => {
  const asked = serve({ ...SESSION, [`GET ${PATH}`]: { body: state({ repository: "" }) } });
  show();
  await waitFor(() => expect(asked.length).toBe(2));
  expect(screen.queryByRole("region")).toBeNull();
});

const DRAFT = { title: "Round once", body: "## What", by_model: true, problem: "", withheld: [] };
const drafting = (body: object) => ({
  ...SESSION,
  [`GET ${PATH}`]: { body: state() },
  "POST /api/v1/sessions/ses_1/git/draft": { body },
});

it("fills in a draft from the diff, and says where it comes from", async () => {
  const asked = serve(drafting({ ...DRAFT, withheld: [".env"] }));
  show();
  await userEvent.click(await screen.findByRole("button", { name: "Open a pull request" }));
  await screen.findByText("A model drafted this from the diff: check it. It has not seen .env.");
  expect(screen.getByLabelText("Title")).toHaveProperty("value", "Round once");
  expect(screen.getByLabelText("Text")).toHaveProperty("value", "## What");
  const posts = asked.filter((one) => one.method === "POST").map((one) => one.body);
  expect(posts).toEqual([{ what: "pull_request" }]);
});

it("says why there is no model's draft, and leaves alone what was typed meanwhile", async () => {
  serve(drafting({ ...DRAFT, by_model: false, problem: "The model took too long." }));
  const { unmount } = show();
  await userEvent.click(await screen.findByRole("button", { name: "Open a pull request" }));
  await screen.findByText("No model drafted this. The model took too long.");
  unmount();
  queryClient.clear();
  let answer: () => void = () => undefined;
  const late = new Promise<void>((resolve) => {
    answer = resolve;
  });
  serve(drafting(DRAFT));
  const quick = globalThis.fetch;
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.url.endsWith("/git/draft")) await late;
    return quick(request);
  });
  show();
  await userEvent.click(await screen.findByRole("button", { name: "Open a pull request" }));
  await screen.findByText("Drafting from the diff… You can type meanwhile.");
  await userEvent.type(screen.getByLabelText("Text"), "Mine.");
  answer();
  await waitFor(() => expect(screen.queryByText(/Drafting/)).toBeNull());
  expect(screen.getByLabelText("Text")).toHaveProperty("value", "Mine.");
  expect(screen.getByLabelText("Title")).toHaveProperty("value", "Fix the total");
});

it("opens a pull request with the session's title", async () => {
  const asked = serve({
    ...SESSION,
    [`GET ${PATH}`]: { body: state() },
    [`POST ${PATH}`]: { body: state({ pull_request: PULL }) },
  });
  show();
  await userEvent.click(await screen.findByRole("button", { name: "Open a pull request" }));
  expect(screen.getByLabelText("Title")).toHaveProperty("value", "Fix the total");
  await userEvent.type(screen.getByLabelText("Text"), "Done.");
  await userEvent.click(screen.getByRole("button", { name: "Open" }));
  const link = await screen.findByRole("link", { name: "tea/shop #7" });
  expect(link).toHaveProperty("href", PULL.url);
  expect(screen.getByText("failed: tests")).toBeTruthy();
  const sent = asked.find((one) => one.method === "POST" && one.path === PATH)?.body;
  expect(sent).toEqual({ title: "Fix the total", body: "Done.", draft: false });
});

it("keeps what was typed if the branch has not been pushed", async () => {
  serve({
    ...SESSION,
    [`GET ${PATH}`]: { body: state() },
    [`POST ${PATH}`]: failure(409, "branch_not_pushed", "The branch has no pushed commits."),
  });
  show();
  await userEvent.click(await screen.findByRole("button", { name: "Open a pull request" }));
  await userEvent.type(screen.getByLabelText("Text"), "Done.");
  await userEvent.click(screen.getByRole("button", { name: "Open" }));
  await screen.findByText("The branch has no pushed commits.");
  expect(screen.getByLabelText("Text")).toHaveProperty("value", "Done.");
});

it("says why none can be opened, and offers viewers no button", async () => {
  serve({ ...SESSION, [`GET ${PATH}`]: { body: state({ problem: "The connection was revoked." }) } });
  const { unmount } = show();
  await screen.findByText("The connection was revoked.");
  expect(screen.queryByRole("button")).toBeNull();
  unmount();
  queryClient.clear();
  serve({ ...SESSION, [`GET ${PATH}`]: { body: state({ pull_request: PULL, can_open: false }) } });
  show();
  await screen.findByText("Mend the total");
  expect(screen.queryByRole("button", { name: "Change title and text" })).toBeNull();
});

it("shows at once what another tab or the agent has opened", async () => {
  const answers = { ...SESSION, [`GET ${PATH}`]: { body: state() } };
  serve(answers);
  show();
  await screen.findByRole("button", { name: "Open a pull request" });
  serve({ ...answers, [`GET ${PATH}`]: { body: state({ pull_request: PULL }) } });
  const { checks, ...facts } = {
    ...PULL,
    comments: 1,
    checks_passed: 0,
    checks_failed: 1,
    checks_pending: 0,
  };
  connection.store.setState({ pullRequest: facts as never });
  await screen.findByRole("link", { name: "tea/shop #7" });
  expect(checks.length).toBe(1);
});

it("has the agent deal with a failed check or a comment", async () => {
  const asked = serve({
    ...SESSION,
    [`GET ${PATH}`]: { body: state({ pull_request: PULL }) },
    [`POST ${PATH}/fix`]: { status: 202, body: {} },
  });
  show();
  await screen.findByText("Why?");
  await userEvent.click(screen.getByRole("button", { name: "Fix it: tests" }));
  await userEvent.click(await screen.findByRole("button", { name: "Fix it: a.txt:3" }));
  const sent = asked.filter((one) => one.method === "POST").map((one) => one.body);
  expect(sent).toEqual([
    { check: "1", comment: "" },
    { check: "", comment: "c1" },
  ]);
});
