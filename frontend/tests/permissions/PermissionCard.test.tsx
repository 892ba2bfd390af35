import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PermissionCard } from "../../src/permissions/PermissionCard";
import { at, request } from "../support/builders";
import { DANA, decision } from "../support/policies";
import { failure, meAs, PROJECT, renderApart, serve } from "../support/render";

const REPLY = "POST /api/v1/permission-requests/per_1/reply";
const SETTLED = { body: request({ state: "once", settled_at: at(2) }) };
const press = (name: RegExp | string) => userEvent.click(screen.getByRole("button", { name }));
const openAlways = async () => {
  const button = screen.getByRole<HTMLButtonElement>("button", { name: "Always allow…" });
  await waitFor(() => expect(button.disabled).toBe(false));
  await userEvent.click(button);
};
const answers = (asked: ReturnType<typeof serve>) =>
  asked.filter((item) => item.method === "POST").map((item) => item.body);

beforeEach(() => void serve({}));
afterEach(() => vi.unstubAllGlobals());

describe("the permission card", () => {
  it("asks in plain words, shows the command and the reason, and what always would grant", async () => {
    renderApart(<PermissionCard projectId="prj_1" request={request()} canAct />);
    expect(screen.getByRole("heading").textContent).toBe("Run this command in the workspace?");
    expect(screen.getByText("pytest -q")).toBeDefined();
    expect(screen.getByText(/The preset says: ask before any command/)).toBeDefined();
    await openAlways();
    expect(screen.getByText("bash pytest *")).toBeDefined();
  });

  it("shows what a command hides", () => {
    const [need] = request().needs;
    const needs = [{ ...need, metadata: { command: "ls \u202e# fr- mr", description: "Only\nlooks" } }];
    renderApart(<PermissionCard projectId="prj_1" request={request({ needs: needs as never })} canAct />);
    expect(screen.getByText("ls ⟨U+202E⟩# fr- mr")).toBeDefined();
    expect(screen.getByText("Only⏎looks")).toBeDefined();
  });

  it("shows the arguments of a call that is repeated", () => {
    const repeated = (metadata: Record<string, unknown>) => [
      { permission: "doom_loop", patterns: ["glob"], always: ["glob"], metadata: { times: 3, ...metadata } },
    ];
    const shown = request({ tool: "glob", needs: repeated({ arguments: { pattern: "*.md\u202e" } }) });
    const { unmount } = renderApart(<PermissionCard projectId="prj_1" request={shown} canAct />);
    expect(screen.getByRole("heading").textContent).toContain("stuck in a loop");
    expect(screen.getByText("glob")).toBeDefined();
    expect(screen.getByText("*.md⟨U+202E⟩")).toBeDefined();
    unmount();
    const cut = request({ tool: "glob", needs: repeated({ raw_arguments: '{"pattern": "*.md…' }) });
    renderApart(<PermissionCard projectId="prj_1" request={cut} canAct />);
    expect(screen.getByText('{"pattern": "*.md…')).toBeDefined();
  });

  it("allows once, and only once however often it is pressed", async () => {
    const asked = serve({ [REPLY]: SETTLED });
    renderApart(<PermissionCard projectId="prj_1" request={request()} canAct />);
    const button = screen.getByRole("button", { name: "Allow once" });
    await userEvent.dblClick(button);
    expect(answers(asked)).toEqual([{ reply: "once", message: "" }]);
  });

  it("allows always with the scope that is shown", async () => {
    const asked = serve({ [REPLY]: SETTLED });
    renderApart(<PermissionCard projectId="prj_1" request={request()} canAct />);
    await openAlways();
    expect(answers(asked)).toEqual([]);
    await userEvent.selectOptions(screen.getByLabelText("Scope of “always”"), "in the whole project");
    await press("Yes, always allow");
    expect(answers(asked)).toEqual([{ reply: "always", scope: "project", message: "" }]);
  });

  it("grants nothing when the second step of always is left", async () => {
    const asked = serve({ [REPLY]: SETTLED });
    renderApart(<PermissionCard projectId="prj_1" request={request()} canAct />);
    await openAlways();
    expect(document.activeElement?.textContent).toBe("Cancel");
    await userEvent.keyboard("{Enter}");
    expect(screen.getByRole("button", { name: "Allow once" })).toBeDefined();
    expect(answers(asked)).toEqual([]);
  });

  it("cannot be answered for half a second when it appears while somebody types", async () => {
    const asked = serve({ [REPLY]: SETTLED });
    await userEvent.keyboard("x");
    renderApart(<PermissionCard projectId="prj_1" request={request()} canAct />);
    const button = screen.getByRole("button", { name: "Allow once" }) as HTMLButtonElement;
    expect(button.disabled).toBe(true);
    await userEvent.click(button);
    expect(answers(asked)).toEqual([]);
    await waitFor(() => expect(button.disabled).toBe(false));
  });

  it("rejects with words for the agent", async () => {
    const asked = serve({ [REPLY]: SETTLED });
    renderApart(<PermissionCard projectId="prj_1" request={request()} canAct />);
    await press("Reject with a message");
    await userEvent.type(screen.getByLabelText("What the agent should do instead"), "use make test{Enter}");
    expect(answers(asked)).toEqual([{ reply: "reject", message: "use make test" }]);
  });

  it("offers no always where nothing may be remembered", () => {
    const needs = [
      { permission: "bash", patterns: ["rm -r x"], always: [], metadata: { command: "rm -r x" } },
    ];
    renderApart(<PermissionCard projectId="prj_1" request={request({ needs })} canAct />);
    expect(screen.queryByRole("button", { name: "Always allow…" })).toBeNull();
    expect(screen.getByRole("button", { name: "Allow once" })).toBeDefined();
  });

  it("shows the diff of a change", () => {
    const diff = "@@ -1 +1 @@\n-old\n+new\n";
    const needs = [
      { permission: "edit", patterns: ["a.py"], always: ["*"], metadata: { path: "a.py", diff } },
    ];
    renderApart(<PermissionCard projectId="prj_1" request={request({ needs, tool: "edit" })} canAct />);
    expect(screen.getByRole("heading").textContent).toBe("Change this file?");
    expect(screen.getByText("new")).toBeDefined();
  });

  it("shows a pull request as it would be opened", () => {
    const wanted = {
      repository: "tea/shop",
      number: 0,
      branch: "agentsite/1",
      base: "main",
      commit: "abc",
      title: "Mend it\u202e",
      body: "First\n\nsecond",
      draft: true,
    };
    const asked = (number: number) =>
      request({
        tool: "pull_request",
        needs: [
          {
            permission: "pull_request",
            patterns: ["main"],
            always: ["main"],
            metadata: { pull_request: { ...wanted, number } },
          },
        ],
      });
    const { unmount } = renderApart(<PermissionCard projectId="prj_1" request={asked(0)} canAct />);
    expect(screen.getByRole("heading").textContent).toBe("Open this pull request?");
    expect(screen.getByText(/into/).textContent).toBe("agentsite/1 into main of tea/shop, as a draft");
    expect(screen.getByText("Mend it⟨U+202E⟩")).toBeDefined();
    expect(screen.getByText(/second/).textContent).toBe("First\n\nsecond");
    unmount();
    renderApart(<PermissionCard projectId="prj_1" request={asked(7)} canAct />);
    expect(screen.getByRole("heading").textContent).toBe("Update this pull request?");
  });

  it("shows no pattern where the question says all", async () => {
    const needs = [{ permission: "plan_exit", patterns: ["*"], always: ["*"], metadata: {} }];
    renderApart(<PermissionCard projectId="prj_1" request={request({ needs, tool: "plan_exit" })} canAct />);
    expect(screen.getByRole("heading").textContent).toBe("Leave planning and start the work?");
    expect(screen.queryByText("*")).toBeNull();
    await openAlways();
    expect(screen.getByText("plan_exit *")).toBeDefined();
  });

  it("says when somebody else was faster", async () => {
    serve({
      [REPLY]: failure(409, "stale", "This was answered already.", "Reload to see the current state."),
    });
    renderApart(<PermissionCard projectId="prj_1" request={request()} canAct />);
    await press("Allow once");
    await waitFor(() =>
      expect(screen.getByRole("alert").textContent).toContain("This was answered already."),
    );
  });

  it("can be tried again when the site could not be reached", async () => {
    let up = false;
    const asked = serve({ [REPLY]: () => (up ? SETTLED : new TypeError("network")) });
    renderApart(<PermissionCard projectId="prj_1" request={request()} canAct />);
    await press("Allow once");
    await screen.findByRole("alert");
    up = true;
    await press("Allow once");
    await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
    expect(answers(asked)).toHaveLength(2);
  });

  it("has no buttons for people who may only watch", () => {
    renderApart(<PermissionCard projectId="prj_1" request={request()} canAct={false} />);
    expect(screen.queryByRole("button", { name: /allow|reject/i })).toBeNull();
    expect(screen.getByText("Members and admins of the team can answer.")).toBeDefined();
  });

  it("offers a grant for the whole team to admins only", async () => {
    const shown = request({ scopes: ["session", "project", "team"] });
    const options = () =>
      within(screen.getByLabelText("Scope of “always”"))
        .getAllByRole("option")
        .map((item) => item.textContent);
    serve({ "GET /api/v1/me": meAs("member"), "GET /api/v1/projects/prj_1": PROJECT });
    const first = renderApart(<PermissionCard projectId="prj_1" request={shown} canAct />);
    await openAlways();
    await waitFor(() => expect(options()).toEqual(["in this session", "in the whole project"]));
    first.unmount();
    serve({ "GET /api/v1/me": meAs("admin"), "GET /api/v1/projects/prj_1": PROJECT });
    renderApart(<PermissionCard projectId="prj_1" request={shown} canAct />);
    await openAlways();
    await waitFor(() => expect(options()).toContain("in the whole team"));
  });

  it("bars those who may not answer and says who may", async () => {
    serve({ "GET /api/v1/me": meAs("member"), "GET /api/v1/projects/prj_1": PROJECT });
    renderApart(<PermissionCard projectId="prj_1" request={request({ approvers: "admin" })} canAct />);
    await screen.findByText("Only an admin of the team can answer.");
    const buttons = screen.getAllByRole<HTMLButtonElement>("button", { name: /allow|reject/i });
    expect(buttons.map((button) => button.disabled)).toEqual([true, true, true]);
  });

  it("says who of two people has said yes already", () => {
    const approvals = [{ person: DANA, reply: "once" as const, at: at(1) }];
    renderApart(
      <PermissionCard projectId="prj_1" request={request({ approvers: "two_people", approvals })} canAct />,
    );
    expect(screen.getByText(/1 of 2 people approved: Dana/)).toBeDefined();
  });

  it("lets who said yes first still say no", async () => {
    serve({ "GET /api/v1/me": meAs("member"), "GET /api/v1/projects/prj_1": PROJECT });
    const approvals = [{ person: { ...DANA, id: "usr_1" }, reply: "once" as const, at: at(1) }];
    const shown = request({ approvers: "two_people", approvals });
    renderApart(<PermissionCard projectId="prj_1" request={shown} canAct />);
    await screen.findByText("You approved. One more approval is needed.");
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Allow once" }).disabled).toBe(true);
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Reject" }).disabled).toBe(false);
  });

  it("shows what somebody else answered, without buttons", () => {
    const settled = request({ state: "always", scope: "project", answered_by: DANA, settled_at: at(3) });
    renderApart(<PermissionCard projectId="prj_1" request={settled} canAct />);
    expect(screen.getByText("Always allowed in the whole project by Dana.")).toBeDefined();
    expect(screen.queryByRole("button", { name: "Allow once" })).toBeNull();
  });

  it("lists the commands in a line, what they touch and what is unclear", () => {
    const metadata = {
      command: "cd .. && cat $X > out",
      commands: ["cd ..", "cat $X"],
      writes: ["/out"],
      external_directories: ["/*"],
      complete: false,
      reasons: ["The variable X is not known."],
    };
    const needs = [{ permission: "bash", patterns: ["cd .. && cat $X > out"], always: [], metadata }];
    renderApart(<PermissionCard projectId="prj_1" request={request({ needs })} canAct />);
    const facts = within(screen.getByTestId("command-facts"));
    for (const words of ["cd ..", "cat $X", "/out", "/*", "The variable X is not known."]) {
      expect(facts.getByText(words)).toBeDefined();
    }
  });

  it("asks once about a chain, and says which of its commands need the answer", () => {
    const commands = ["pytest -q", "git add -A", "git commit -m x"];
    const metadata = { command: commands.join(" && "), commands, complete: true };
    const needs = [{ permission: "bash", patterns: commands.slice(1), always: [], metadata }];
    renderApart(<PermissionCard projectId="prj_1" request={request({ needs })} canAct />);
    const asked = within(screen.getByText("Needs an answer").parentElement as HTMLElement);
    expect(asked.getAllByText(/git/).map((item) => item.textContent)).toEqual([
      "git add -A",
      "git commit -m x",
    ]);
    expect(asked.queryByText("pytest -q")).toBeNull();
  });

  it("loads the reasons when somebody asks why", async () => {
    const enforced = decision({
      action: "deny",
      layer: "team limits",
      limit: true,
      trace: [{ rule: { permission: "bash", pattern: "*", action: "allow" }, layer: "grants", limit: false }],
    });
    const why = {
      call_id: "call_1",
      decided_at: at(0),
      versions: { site: 0, team: 3, project: 1 },
      action: "deny",
      decisions: [enforced],
      request: null,
    };
    const asked = serve({ "GET /api/v1/tool-calls/call_1/why": { body: why } });
    renderApart(<PermissionCard projectId="prj_1" request={request()} canAct />);
    expect(asked.some((item) => item.path.endsWith("/why"))).toBe(false);
    await press("Why");
    const shown = within(await screen.findByTestId("why-decision"));
    expect(shown.getByText(/A limit of your team says/)).toBeDefined();
    expect(shown.getByText("A limit: lower levels cannot loosen it.")).toBeDefined();
    expect(shown.getByText(/An earlier “always”/)).toBeDefined();
    expect(screen.getByText(/site none, team version 3, project version 1/)).toBeDefined();
  });
});
