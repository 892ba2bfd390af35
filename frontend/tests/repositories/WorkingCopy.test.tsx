import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { WorkingCopy } from "../../src/repositories/WorkingCopy";
import { SessionProvider } from "../../src/store/SessionContext";
import { failure, renderOnPage, serve, stillConnection } from "../support/render";

const PATH = "/api/v1/sessions/ses_1/git";
const HEAD = "a".repeat(40);
const state = (change = {}) => ({
  repository: "tea/shop",
  branch: "agentsite/1",
  current_branch: "agentsite/1",
  head: HEAD,
  uncommitted: [{ path: "a.txt", status: "added" }],
  unpushed: [],
  problem: "",
  can_change: true,
  ...change,
});
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
    [`GET ${PATH}`]: { body: state() },
    [`POST ${PATH}/commit`]: { body: state(UNPUSHED) },
    [`POST ${PATH}/push`]: { body: state({ uncommitted: [] }) },
  });
  show();
  await screen.findByText("a.txt (added)");
  expect(screen.queryByRole("button", { name: "Push" })).toBeNull();
  await press("Commit…");
  await userEvent.type(screen.getByLabelText("Message"), "Mend it");
  await press("Commit");
  await screen.findByText("aaaaaaaa Mend it");
  await press("Push");
  await screen.findByText(/Everything is committed on/);
  const sent = asked.filter((one) => one.method === "POST").map((one) => one.body);
  expect(sent).toEqual([{ message: "Mend it" }, { commit: HEAD, workflows: false }]);
});

it("asks once more before it pushes files for a CI service", async () => {
  const asked = serve({
    [`GET ${PATH}`]: { body: state(UNPUSHED) },
    [`POST ${PATH}/push`]: failure(409, "push_asks", "Changing files for a CI service needs permission."),
  });
  show();
  await screen.findByText("aaaaaaaa Mend it");
  await press("Push");
  await screen.findByText("Changing files for a CI service needs permission.");
  await press("Push anyway");
  expect(asked[asked.length - 1]?.body).toEqual({ commit: HEAD, workflows: true });
});

it("shows viewers no buttons", async () => {
  serve({ [`GET ${PATH}`]: { body: state({ can_change: false }) } });
  show();
  await screen.findByText("a.txt (added)");
  expect(screen.queryByRole("button")).toBeNull();
});

it("does not say that everything is committed where git has no repository", async () => {
  const problem = "The workspace has no git repository any more.";
  serve({ [`GET ${PATH}`]: { body: state({ uncommitted: [], head: "", current_branch: "", problem }) } });
  show();
  await screen.findByText(problem);
  expect(screen.queryByText(/Everything is committed/)).toBeNull();
});
