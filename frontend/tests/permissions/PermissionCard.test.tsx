import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { PermissionCard } from "../../src/permissions/PermissionCard";
import { at, request } from "../support/builders";
import { failure, serve } from "../support/render";

const REPLY = "POST /api/v1/permission-requests/per_1/reply";
const SETTLED = { body: request({ state: "once", settled_at: at(2) }) };
const press = (name: RegExp | string) => userEvent.click(screen.getByRole("button", { name }));
const answers = (asked: ReturnType<typeof serve>) =>
  asked.filter((item) => item.method === "POST").map((item) => item.body);

afterEach(() => vi.unstubAllGlobals());

describe("the permission card", () => {
  it("asks in plain words, shows the command, the reason and what always would grant", () => {
    render(<PermissionCard request={request()} canAct />);
    expect(screen.getByRole("heading").textContent).toBe("Run this command in the workspace?");
    expect(screen.getByText("pytest -q")).toBeDefined();
    expect(screen.getByText(/Asked by the rule “bash \* → ask” of the built-in defaults/)).toBeDefined();
    expect(screen.getByText("bash pytest *")).toBeDefined();
  });

  it("shows what a command hides", () => {
    const [need] = request().needs;
    const needs = [{ ...need, metadata: { command: "ls \u202e# fr- mr", description: "Only\nlooks" } }];
    render(<PermissionCard request={request({ needs: needs as never })} canAct />);
    expect(screen.getByText("ls ⟨U+202E⟩# fr- mr")).toBeDefined();
    expect(screen.getByText("Only⏎looks")).toBeDefined();
  });

  it("allows once, and only once however often it is pressed", async () => {
    const asked = serve({ [REPLY]: SETTLED });
    render(<PermissionCard request={request()} canAct />);
    const button = screen.getByRole("button", { name: "Allow once" });
    await userEvent.dblClick(button);
    expect(answers(asked)).toEqual([{ reply: "once", message: "" }]);
  });

  it("allows always with the scope that is shown", async () => {
    const asked = serve({ [REPLY]: SETTLED });
    render(<PermissionCard request={request()} canAct />);
    await userEvent.selectOptions(screen.getByLabelText("Where always counts"), "in the whole project");
    await press("Always allow");
    expect(answers(asked)).toEqual([{ reply: "always", scope: "project", message: "" }]);
  });

  it("rejects with words for the agent", async () => {
    const asked = serve({ [REPLY]: SETTLED });
    render(<PermissionCard request={request()} canAct />);
    await press("Reject with words");
    await userEvent.type(screen.getByLabelText("What the agent should do instead"), "use make test{Enter}");
    expect(answers(asked)).toEqual([{ reply: "reject", message: "use make test" }]);
  });

  it("offers no always where nothing may be remembered", () => {
    const needs = [
      { permission: "bash", patterns: ["rm -r x"], always: [], metadata: { command: "rm -r x" } },
    ];
    render(<PermissionCard request={request({ needs })} canAct />);
    expect(screen.queryByRole("button", { name: "Always allow" })).toBeNull();
    expect(screen.getByRole("button", { name: "Allow once" })).toBeDefined();
  });

  it("shows the diff of a change", () => {
    const diff = "@@ -1 +1 @@\n-old\n+new\n";
    const needs = [
      { permission: "edit", patterns: ["a.py"], always: ["*"], metadata: { path: "a.py", diff } },
    ];
    render(<PermissionCard request={request({ needs, tool: "edit" })} canAct />);
    expect(screen.getByRole("heading").textContent).toBe("Change this file?");
    expect(screen.getByText("new")).toBeDefined();
  });

  it("says when somebody else was faster", async () => {
    serve({
      [REPLY]: failure(409, "stale", "This was answered already.", "Reload to see the current state."),
    });
    render(<PermissionCard request={request()} canAct />);
    await press("Allow once");
    await waitFor(() =>
      expect(screen.getByRole("alert").textContent).toContain("This was answered already."),
    );
  });

  it("can be tried again when the site could not be reached", async () => {
    let up = false;
    const asked = serve({ [REPLY]: () => (up ? SETTLED : new TypeError("network")) });
    render(<PermissionCard request={request()} canAct />);
    await press("Allow once");
    await screen.findByRole("alert");
    up = true;
    await press("Allow once");
    await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
    expect(answers(asked)).toHaveLength(2);
  });

  it("has no buttons for people who may only watch", () => {
    render(<PermissionCard request={request()} canAct={false} />);
    expect(screen.queryByRole("button")).toBeNull();
  });
});
