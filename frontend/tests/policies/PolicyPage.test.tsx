import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Policy } from "../../src/api/policyTypes";
import { queryClient } from "../../src/app/queries";
import { readDraft } from "../../src/policies/draft";
import { PolicyPage } from "../../src/policies/PolicyPage";
import { decision, policy, policyDocument } from "../support/policies";
import { failure, meAs, renderOnPage, serve } from "../support/render";

const PATH = "/api/v1/policies/tea_1";
const ASK = { permission: "bash", pattern: "git push *", action: "ask" } as const;
const PRESETS = { body: { items: [{ name: "balanced", description: "Work is free.", rules: [ASK] }] } };

function open(saved: Policy, tab = "rules", more: Parameters<typeof serve>[0] = {}) {
  const asked = serve({
    "GET /api/v1/me": meAs("admin"),
    "GET /api/v1/presets": PRESETS,
    [`GET ${PATH}`]: { body: saved },
    ...more,
  });
  renderOnPage(<PolicyPage place="tea_1" tab={tab} />);
  return asked;
}

const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>("button", { name });
const pattern = (name: string) => screen.getByLabelText<HTMLInputElement>(`Pattern of ${name}`);
const sent = (asked: ReturnType<typeof serve>, method: string) =>
  asked.filter((item) => item.method === method).map((item) => item.body);

afterEach(() => {
  vi.unstubAllGlobals();
  queryClient.clear();
});

describe("editing a policy", () => {
  it("saves what was changed with a reason, on top of the version that was looked at", async () => {
    const next = policy({ version: 2, rules: [{ ...ASK, action: "deny" }], reason: "Safer" });
    const asked = open(policy({ rules: [ASK] }), "rules", { [`PUT ${PATH}`]: { body: next } });
    await userEvent.selectOptions(await screen.findByLabelText("Action of Rules 1"), "deny");
    await userEvent.click(button("Save…"));
    expect(button("Save version 2").disabled).toBe(true);
    await userEvent.type(screen.getByLabelText("Reason"), "Safer{Enter}");
    await waitFor(() => expect(screen.getByTestId("policy-version").textContent).toContain("Version 2"));
    expect(sent(asked, "PUT")).toEqual([
      {
        document: policyDocument({ rules: [{ ...ASK, action: "deny" }] }),
        base_version: 1,
        reason: "Safer",
      },
    ]);
    expect(readDraft("tea_1")).toBeNull();
  });

  it("says what one gives up with the preset “contained”", async () => {
    const contained = { name: "contained", description: "Only the container confines.", rules: [ASK] };
    const asked = open(policy(), "rules", {
      "GET /api/v1/presets": { body: { items: [...PRESETS.body.items, contained] } },
      [`PUT ${PATH}`]: { body: policy({ version: 2, preset: "contained" }) },
    });
    const choice = await screen.findByRole("radio", { name: /^Contained/ });
    expect(screen.queryByTestId("contained-note")).toBeNull();
    await userEvent.click(choice);
    const note = screen.getByTestId("contained-note").textContent;
    expect(note).toContain("Nobody sees a command before it runs");
    expect(note).toContain("Names that are only computed at run time are not judged");
    expect(note).toContain("Denies and limits apply as before");
    await userEvent.click(button("Save…"));
    await userEvent.type(screen.getByLabelText("Reason"), "Nobody attends{Enter}");
    await waitFor(() => expect(sent(asked, "PUT")).toHaveLength(1));
    expect(sent(asked, "PUT")[0]).toMatchObject({ document: { preset: "contained" } });
  });

  it("shows the note to people who may not edit, and where the preset is inherited", async () => {
    const contained = { name: "contained", description: "Only the container confines.", rules: [ASK] };
    open(policy({ can_edit: false, inherited: { preset: "contained", preset_from: "site" } }), "rules", {
      "GET /api/v1/presets": { body: { items: [contained] } },
    });
    expect(await screen.findByTestId("contained-note")).toBeDefined();
    expect(screen.getByRole("radio", { name: /^Contained/ }).closest("fieldset")?.disabled).toBe(true);
  });

  it("sets what happens to commands that cannot be read completely", async () => {
    open(policy(), "options", { "GET /api/v1/policies/site": { body: policy({ place: "site" }) } });
    const field = await screen.findByLabelText("Commands that cannot be read completely");
    await userEvent.selectOptions(field, "Run if the rules allow every command");
    expect(readDraft("tea_1")?.document.options.incomplete_commands).toBe("allow");
    await userEvent.selectOptions(field, "Not set");
    expect(readDraft("tea_1")).toBeNull();
  });

  it("keeps the draft in this browser until it is saved or thrown away", async () => {
    open(policy({ rules: [ASK] }));
    await userEvent.type(await screen.findByLabelText("Pattern of Rules 1"), "!");
    expect(readDraft("tea_1")?.document.rules[0]?.pattern).toBe("git push *!");
    await userEvent.click(button("Discard"));
    expect(pattern("Rules 1").value).toBe("git push *");
    expect(readDraft("tea_1")).toBeNull();
  });

  it("is no draft any more once it says what is saved", async () => {
    open(policy({ rules: [ASK] }));
    const field = await screen.findByLabelText("Pattern of Rules 1");
    await userEvent.type(field, "x");
    await userEvent.type(field, "{Backspace}");
    expect(button("Save…").disabled).toBe(true);
    expect(readDraft("tea_1")).toBeNull();
  });

  it("does not save a rule without a pattern, and says which", async () => {
    open(policy());
    await userEvent.click(await screen.findByRole("button", { name: "Add limit" }));
    expect(screen.getByText("Limit 1 needs a permission and a pattern.")).toBeDefined();
    expect(button("Save…").disabled).toBe(true);
  });

  it("moves a rule by button and by keys, and the focus goes with it", async () => {
    open(policy({ rules: [ASK, { ...ASK, pattern: "second" }] }));
    await userEvent.click(await screen.findByRole("button", { name: "Move Rules 2 up" }));
    expect(pattern("Rules 1").value).toBe("second");
    pattern("Rules 1").focus();
    await userEvent.keyboard("{Alt>}{ArrowDown}{/Alt}");
    expect(pattern("Rules 2").value).toBe("second");
    await waitFor(() => expect(document.activeElement).toBe(pattern("Rules 2")));
    await userEvent.keyboard("{Enter}new");
    await waitFor(() => expect(pattern("Rules 3")).toBeDefined());
  });

  it("shows what other people saved meanwhile, and goes on with the draft", async () => {
    let saved = policy({ rules: [ASK] });
    const theirs = policy({ version: 2, rules: [{ ...ASK, pattern: "theirs" }] });
    const asked = open(saved, "rules", {
      [`GET ${PATH}`]: () => ({ body: saved }),
      [`PUT ${PATH}`]: () => {
        if (saved.version === 2) return { body: policy({ version: 3 }) };
        saved = theirs;
        return failure(409, "stale_policy", "Somebody else has changed this policy: it is now at version 2.");
      },
      [`GET ${PATH}/versions/2`]: { body: { policy: theirs, diff: "@@ -1 +1 @@\n-a\n+theirs line\n" } },
    });
    await userEvent.type(await screen.findByLabelText("Pattern of Rules 1"), "!");
    await userEvent.click(button("Save…"));
    await userEvent.type(screen.getByLabelText("Reason"), "Mine{Enter}");
    const behind = await screen.findByTestId("behind");
    expect(behind.textContent).toContain("Dana saved version 2 while you were editing.");
    expect(button("Save…").disabled).toBe(true);
    await userEvent.click(within(behind).getByRole("button", { name: "Changes by Dana" }));
    await screen.findByText("theirs line");
    await userEvent.click(within(behind).getByRole("button", { name: "Changes in my draft" }));
    expect(within(behind).getByText("ask bash theirs")).toBeDefined();
    await userEvent.click(within(behind).getByRole("button", { name: "Continue with my draft" }));
    await userEvent.click(button("Save…"));
    await userEvent.type(screen.getByLabelText("Reason"), "Mine{Enter}");
    await waitFor(() => expect(sent(asked, "PUT")).toHaveLength(2));
    expect(sent(asked, "PUT")[1]).toMatchObject({
      base_version: 2,
      document: { rules: [{ pattern: "git push *!" }] },
    });
  });

  it("says which expectation a save would break, and keeps the draft", async () => {
    const refused = {
      status: 400,
      body: {
        error: {
          code: "expectation_failed",
          message: "The policy does not meet its own expectations. It was not saved.",
          hint: "",
          fields: { "expectations.0": "expected deny, would be ask" },
          request_id: "",
        },
      },
    };
    open(policy({ rules: [ASK] }), "rules", { [`PUT ${PATH}`]: refused });
    await userEvent.type(await screen.findByLabelText("Pattern of Rules 1"), "!");
    await userEvent.click(button("Save…"));
    await userEvent.type(screen.getByLabelText("Reason"), "Mine{Enter}");
    await screen.findByText("Expectation 1: expected deny, would be ask");
    expect(readDraft("tea_1")).not.toBeNull();
  });

  it("is only for reading where the person may not edit", async () => {
    open(policy({ can_edit: false, rules: [ASK] }));
    expect((await screen.findByTestId("read-only")).textContent).toContain(
      "Only admins of the team can change it",
    );
    expect(pattern("Rules 1").readOnly).toBe(true);
    expect(screen.queryByRole("button", { name: /Add|Save|Delete|Move/ })).toBeNull();
  });
});

describe("rules as text", () => {
  it("change the draft when every line can be read, and not before", async () => {
    open(policy({ rules: [ASK] }));
    await userEvent.click(await screen.findByLabelText("Text"));
    const text = screen.getByLabelText<HTMLTextAreaElement>("Rules as text");
    expect(text.value).toBe("ask bash git push *");
    await userEvent.clear(text);
    await userEvent.type(text, "! deny read *.pem{Enter}perm");
    expect(screen.getByText(/Line 2: “perm” is not an action/)).toBeDefined();
    await userEvent.type(text, "{Backspace}{Backspace}{Backspace}{Backspace}");
    expect(readDraft("tea_1")?.document).toMatchObject({ rules: [], enforced: [{ pattern: "*.pem" }] });
    await userEvent.click(button("Discard"));
    await waitFor(() => expect(text.value).toBe("ask bash git push *"));
  });
});

describe("trying a policy", () => {
  it("lists the calls that a draft would treat otherwise, with links to their sessions", async () => {
    const change = {
      call_id: "call_1",
      session_id: "ses_9",
      session_title: "Release",
      project_id: "prj_1",
      tool: "bash",
      title: "Run git push",
      at: "2026-01-01T12:00:00Z",
      before: "ask",
      after: "deny",
      before_decision: decision(),
      after_decision: decision({ layer: "team limits", rule: { ...ASK, action: "deny" } }),
    };
    const simulation = { replayed: 40, unchanged: 39, changes: [change], expectations: [] };
    const asked = open(policy(), "simulator", { [`POST ${PATH}/simulate`]: { body: simulation } });
    await userEvent.selectOptions(await screen.findByRole("combobox", { name: /calls/i }), "1000");
    await userEvent.click(button("Simulate"));
    const row = within(await screen.findByTestId("simulated-change"));
    expect(row.getByRole("link", { name: "Release" }).getAttribute("href")).toBe("/sessions/ses_9");
    expect(row.getByText(/A limit of your team says/)).toBeDefined();
    expect(screen.getByText("40 calls replayed: 1 would change, 39 would not.")).toBeDefined();
    expect(sent(asked, "POST")).toEqual([{ document: policyDocument(), limit: 1000 }]);
  });

  it("checks expectations while they are written", async () => {
    const expectations = [
      {
        expect: "deny" as const,
        permission: "bash",
        pattern: "",
        command: "curl x",
        agent: "build",
        note: "",
      },
    ];
    const result = { index: 0, expect: "deny", action: "ask", ok: false, decision: decision() };
    const asked = open(policy({ expectations }), "expectations", {
      [`POST ${PATH}/check`]: { body: { problems: [], expectations: [result] } },
    });
    await screen.findByText(/Would be asked: Your team's policy says: ask before/);
    await userEvent.type(screen.getByLabelText("Command of expectation 1"), "y");
    expect(screen.getByText("Not checked yet")).toBeDefined();
    await waitFor(() => expect(sent(asked, "POST")).toHaveLength(2));
    expect(sent(asked, "POST")[1]).toMatchObject({ document: { expectations: [{ command: "curl xy" }] } });
  });

  it("explains a command for an agent in a project of the place", async () => {
    const explanation = {
      action: "ask",
      decisions: [decision()],
      analysis: {
        patterns: ["a", "b"],
        always: [],
        external_directories: [],
        complete: false,
        reasons: ["Odd."],
      },
    };
    const asked = open(policy(), "why", {
      "GET /api/v1/projects": { body: { items: [{ id: "prj_1", team_id: "tea_1", name: "Tea shop" }] } },
      "GET /api/v1/projects/prj_1/agents": { body: { items: [{ name: "build" }, { name: "plan" }] } },
      "POST /api/v1/explain": { body: explanation },
    });
    await userEvent.type(await screen.findByLabelText("Command"), "a && b");
    await userEvent.selectOptions(screen.getByLabelText("Agent"), "plan");
    await userEvent.click(button("Explain"));
    const answer = within(await screen.findByTestId("explanation"));
    expect(answer.getByText("Odd.")).toBeDefined();
    expect(answer.getByText(/Your team's policy says/)).toBeDefined();
    expect(sent(asked, "POST")).toEqual([
      { project_id: "prj_1", agent: "plan", tool: "bash", arguments: { command: "a && b" } },
    ]);
  });
});

describe("versions", () => {
  it("roll back with a reason and say what differs", async () => {
    const version = (number: number) => ({
      version: number,
      author: null,
      reason: `Reason ${number}`,
      restored_from: null,
      created_at: "2026-01-01T12:00:00Z",
      changes: "1 rule added",
    });
    const asked = open(policy({ version: 2 }), "versions", {
      [`GET ${PATH}/versions`]: { body: { items: [version(2), version(1)], next_cursor: null } },
      [`GET ${PATH}/versions/1`]: { body: { policy: policy(), diff: "@@ -1 +0,0 @@\n-gone line\n" } },
      [`POST ${PATH}/rollback`]: { body: policy({ version: 3, restored_from: 1 }) },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Roll back to version 1" }));
    await screen.findByText("gone line");
    await userEvent.type(screen.getByLabelText("Reason"), "Too strict{Enter}");
    await waitFor(() => expect(screen.getByTestId("policy-version").textContent).toContain("Version 3"));
    expect(sent(asked, "POST")).toEqual([{ version: 1, base_version: 2, reason: "Too strict" }]);
  });
});
