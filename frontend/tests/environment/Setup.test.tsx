import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ProjectSetup, SetupRun } from "../../src/api/setup";
import type { Project } from "../../src/api/types";
import { queryClient } from "../../src/app/queries";
import { Setup } from "../../src/environment/Setup";
import { at } from "../support/builders";
import { renderOnPage, serve } from "../support/render";

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

const PROJECT = { id: "prj_1", team_id: "tea_1", name: "Tea shop", remove_at: null } as Project;
const SETUP: ProjectSetup = {
  script: "npm ci",
  services: "",
  workspaces: [],
  changed_by: null,
  changed_at: null,
  network: "packages",
  network_source: "team",
  tag: "*",
};
const RUN: SetupRun = {
  id: "call_1",
  session_id: "ses_1",
  workspace_id: "wsp_1",
  workspace_name: "workspace 1",
  state: "failed",
  source: "settings",
  exit_code: 3,
  created_at: at(0),
  started_at: at(0),
  ended_at: at(2),
};

function show(runs: SetupRun[] = [], mayChange = true) {
  const asked = serve({
    "GET /api/v1/projects/prj_1/setup": { body: SETUP },
    "PUT /api/v1/projects/prj_1/setup": { body: { ...SETUP, script: "make deps" } },
    "GET /api/v1/projects/prj_1/setup/runs": { body: { items: runs, next_cursor: null } },
    "GET /api/v1/projects/prj_1/setup/runs/call_1": { body: { ...RUN, output: "broken" } },
    "POST /api/v1/sessions/ses_1/setup": { status: 202, body: {} },
  });
  renderOnPage(<Setup project={PROJECT} mayChange={mayChange} />);
  return asked;
}

it("saves a changed script", async () => {
  show();
  const script = (await screen.findByLabelText("Script")) as HTMLTextAreaElement;
  expect(script.value).toBe("npm ci");
  const save = screen.getByRole("button", { name: "Save script" }) as HTMLButtonElement;
  expect(save.disabled).toBe(true);
  fireEvent.change(script, { target: { value: "make deps" } });
  fireEvent.click(save);
  await waitFor(() => expect(save.disabled).toBe(true));
  expect(script.value).toBe("make deps");
});

it("shows the script to people who cannot change it", async () => {
  show([], false);
  const script = (await screen.findByLabelText("Script")) as HTMLTextAreaElement;
  expect(script.readOnly).toBe(true);
  expect(screen.queryByRole("button", { name: "Save script" })).toBeNull();
});

it("says how a run ended, and shows its output", async () => {
  show([RUN]);
  const row = within(await screen.findByTestId("setup-run"));
  expect(row.getByText(/Failed with exit code 3/)).toBeDefined();
  fireEvent.click(row.getByRole("button", { name: /workspace 1/ }));
  expect(await row.findByText("broken")).toBeDefined();
});

it("runs set-up again in the session of a run that has ended", async () => {
  const asked = show([RUN, { ...RUN, id: "call_2", state: "running", exit_code: null, ended_at: null }]);
  await screen.findAllByTestId("setup-run");
  const [ended, running] = screen.getAllByRole("button", { name: "Run again" }) as HTMLButtonElement[];
  expect([ended?.disabled, running?.disabled]).toEqual([false, true]);
  fireEvent.click(ended as HTMLButtonElement);
  await waitFor(() =>
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toContain(
      "POST /api/v1/sessions/ses_1/setup",
    ),
  );
});

it("shows what somebody else saved meanwhile, and lets the person choose", async () => {
  let saved = SETUP;
  vi.stubGlobal(
    "fetch",
    vi.fn(async (request: Request) => {
      const headers = { "Content-Type": "application/json", ETag: `"${saved.script.length}.0"` };
      if (request.url.endsWith("/runs?limit=10")) {
        return new Response(JSON.stringify({ items: [], next_cursor: null }), { headers });
      }
      if (request.method === "PUT" && request.headers.get("If-Match") !== headers.ETag) {
        const error = { code: "precondition_failed", message: "Somebody else has changed this.", hint: "" };
        return new Response(JSON.stringify({ error }), { status: 412, headers });
      }
      if (request.method === "PUT") {
        saved = { ...saved, ...((await request.json()) as Pick<ProjectSetup, "script">) };
        headers.ETag = `"${saved.script.length}.0"`;
      }
      const { tag: _tag, ...body } = saved;
      return new Response(JSON.stringify(body), { headers });
    }),
  );
  renderOnPage(<Setup project={PROJECT} mayChange />);
  const script = (await screen.findByLabelText("Script")) as HTMLTextAreaElement;
  const save = () => fireEvent.click(screen.getByRole("button", { name: "Save script" }));
  saved = {
    ...SETUP,
    script: "npm ci && make",
    changed_by: { id: "usr_2", name: "Bea", email: "b@example.org" },
  };
  fireEvent.change(script, { target: { value: "make deps" } });
  save();
  const notice = await screen.findByRole("alert", { name: "Somebody else saved" });
  expect(notice.textContent).toContain("Bea saved another text while you were editing.");
  expect(notice.textContent).toContain("npm ci && make");
  expect(script.value).toBe("make deps");
  expect(saved.script).toBe("npm ci && make");
  fireEvent.click(within(notice).getByRole("button", { name: "Continue with my draft" }));
  save();
  await waitFor(() => expect(saved.script).toBe("make deps"));
  expect(screen.queryByRole("alert")).toBeNull();
});
