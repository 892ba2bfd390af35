import { cleanup, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ToolCall } from "../../src/api/types";
import { ToolRow } from "../../src/conversation/ToolRow";
import { call, question, request, snapshot } from "../support/builders";
import { renderInSession, serve } from "../support/render";

afterEach(() => vi.unstubAllGlobals());

/** The opened row of a call. */
async function open(
  over: Partial<ToolCall> & Record<string, unknown>,
  shot: Parameters<typeof snapshot>[0] = {},
) {
  serve({});
  const { calls = [], ...rest } = shot;
  renderInSession(
    <ToolRow callId="call_1" latest={false} />,
    snapshot({ calls: [call(over as Partial<ToolCall>), ...calls], ...rest }),
  );
  await userEvent.click(screen.getAllByRole("button", { expanded: false })[0] as HTMLElement);
}

const text = (testId: string) => screen.getByTestId(testId).textContent ?? "";

describe("the view of", () => {
  it("read: lines with their numbers, and what is said about them", async () => {
    await open({ tool: "read", output: "3: one\n4: two\n\n(9 more. Go on with offset=5.)" });
    expect(text("file-page")).toBe("3one4two");
    expect(screen.getByText(/9 more/)).toBeDefined();
  });

  it("browser: the picture that was taken, and otherwise what the agent asked and got", async () => {
    const attachments = [
      { id: "att_1", name: "screenshot.png", media_type: "image/png", size: 2048, width: 20, height: 10 },
    ];
    await open({ tool: "browser", arguments: { action: "screenshot" }, attachments } as never);
    expect(screen.getByRole("button", { name: "Show screenshot.png larger" })).toBeDefined();
    cleanup();
    await open({ tool: "browser", arguments: { action: "text" }, output: '- button "Save" [e1]' });
    expect(text("tool-output")).toBe('- button "Save" [e1]');
  });

  it("read of a picture: the picture, and the way to save it", async () => {
    const attachments = [
      { id: "att_1", name: "tea.png", media_type: "image/png", size: 2048, width: 20, height: 10 },
    ];
    await open({ tool: "read", metadata: { kind: "image" }, attachments } as never);
    const picture = screen.getByRole("button", { name: "Show tea.png larger" }).querySelector("img");
    expect(picture?.getAttribute("src")).toBe("/api/v1/attachments/att_1");
    const link = screen.getByRole("link", { name: /tea\.png PNG, 2 KiB/ });
    expect(link.getAttribute("download")).toBe("tea.png");
  });

  it("a PDF: no picture, only the way to save it", async () => {
    const attachments = [{ id: "att_1", name: "tea.pdf", media_type: "application/pdf", size: 2048 }];
    await open({ tool: "read", metadata: { kind: "pdf" }, attachments } as never);
    expect(screen.queryByRole("img")).toBeNull();
    expect(screen.getByRole("link", { name: /tea\.pdf PDF/ })).toBeDefined();
  });

  it("grep: matches by file with the words marked", async () => {
    await open({
      tool: "grep",
      arguments: { pattern: "tea" },
      output: "2 lines match.\n\nsrc/a.py:\n  Line 2: tea = 1\n\nb.py:\n  Line 1: tea",
    });
    const [file, other] = screen.getAllByTestId("matches-of-file") as [HTMLElement, HTMLElement];
    expect(within(file).getByText("1 match")).toBeDefined();
    expect(file.querySelector("mark")?.textContent).toBe("tea");
    expect(other.textContent).toContain("b.py");
  });

  it("glob: files, with their names after their folders", async () => {
    await open({
      tool: "glob",
      metadata: { count: 1 },
      output: "/workspace/src/a.py\n\n(Only the 1 newest files.)",
    });
    expect(screen.getByTitle("src/a.py").textContent).toBe("src/a.py");
    expect(screen.getByText("Only the 1 newest files.")).toBeDefined();
  });

  it("edit: the diff, the formatter and what is wrong now", async () => {
    await open({
      tool: "edit",
      metadata: {
        diff: "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n",
        formatter: "ruff",
        diagnostics: [
          {
            path: "a.py",
            line: 3,
            column: 5,
            severity: "error",
            message: "Undefined name",
            source: "pyright",
          },
        ],
      },
    });
    expect(screen.getByText("Formatted by ruff.")).toBeDefined();
    expect(text("diagnostics")).toContain("a.py:3:5");
    expect(text("tool-row")).toContain("1 error");
  });

  it("apply_patch: each file with what became of it", async () => {
    await open({
      tool: "apply_patch",
      metadata: {
        files: [
          { path: "a.py", change: "update", diff: "@@ -1 +1 @@\n-a\n+b\n", additions: 1, deletions: 1 },
          { path: "b.py", change: "delete", diff: "@@ -1 +0,0 @@\n-a\n", additions: 0, deletions: 1 },
          { path: "c.py", moved_to: "d.py", change: "move", diff: "", additions: 0, deletions: 0 },
        ],
      },
    });
    expect(screen.getAllByTestId("patched-file").map((file) => file.textContent)).toEqual([
      expect.stringContaining("a.py"),
      expect.stringContaining("Deleted"),
      expect.stringContaining("c.py → d.py"),
    ]);
    expect(text("tool-row")).toContain("3 files");
    expect(screen.getAllByText("+1").length).toBeGreaterThan(1);
  });

  it("a failed edit: what the model was told", async () => {
    await open({
      tool: "edit",
      state: "error",
      arguments: { oldString: "a" },
      output: "There is no such text.",
    });
    expect(text("tool-output")).toBe("There is no such text.");
  });

  it("a call that a person rejected: as rejected, not as failed", async () => {
    await open(
      { tool: "bash", state: "error", output: "The person rejected this call." },
      { permission_requests: [request({ state: "rejected" })] },
    );
    expect(screen.getByTestId("tool-row").dataset.state).toBe("rejected");
    expect(text("tool-row")).toContain("rejected");
    expect(text("tool-row")).not.toContain("failed");
  });

  it("a long argument: as a region that the keyboard can scroll", async () => {
    await open({
      tool: "apply_patch",
      state: "error",
      arguments: { patchText: "+line\n".repeat(40), short: "a" },
      output: "No.",
    });
    expect(screen.getByRole("group", { name: "patchText" }).tabIndex).toBe(0);
    expect(screen.queryByRole("group", { name: "short" })).toBeNull();
  });

  it("todowrite: the list, and what moved on", async () => {
    const todos = (status: string) => ({ todos: [{ content: "Fix it", status, priority: "high" }] });
    await open(
      { tool: "todowrite", arguments: todos("completed") },
      { calls: [call({ id: "call_0", tool: "todowrite", arguments: todos("pending"), created_at: "2025" })] },
    );
    expect(text("todo")).toBe("Fix itDonedone now");
  });

  it("question: what was asked and what was said", async () => {
    await open(
      { tool: "question", arguments: { questions: question().questions } },
      { questions: [question({ state: "answered", answers: [["Blue"]] })] },
    );
    expect(screen.getByText("Which colour?", { selector: "dt" })).toBeDefined();
    expect(screen.getByText("Blue", { selector: ".given" })).toBeDefined();
  });

  it("webfetch: the page, its address as a plain link out", async () => {
    await open({
      tool: "webfetch",
      metadata: {
        url: "https://a.example/x",
        final_url: "https://b.example/y",
        status: 200,
        media_type: "text/html",
        bytes: 2048,
        format: "markdown",
      },
      output: "# Title\n\nWords",
    });
    const link = screen.getByRole("link", { name: "https://b.example/y" });
    expect(link.getAttribute("rel")).toBe("noopener noreferrer");
    expect(screen.getByText("Redirected from https://a.example/x")).toBeDefined();
    expect(screen.getByText("Status 200 · text/html · 2 KiB")).toBeDefined();
    expect(text("fetched-page")).toContain("Words");
    await userEvent.click(screen.getByLabelText("Text"));
    expect(text("tool-output")).toContain("# Title");
  });

  it("websearch: results, of which only addresses of the web can be followed", async () => {
    await open({
      tool: "websearch",
      arguments: { query: "tea" },
      metadata: {
        query: "tea",
        results: [
          { title: "Tea", url: "https://tea.example/", text: "Leaves" },
          { title: "Trap", url: "javascript:alert(1)", text: "" },
        ],
      },
    });
    expect(screen.getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual([
      "https://tea.example/",
    ]);
    expect(text("search-results")).toContain("Trap");
  });

  it("pull_request: its address and its text", async () => {
    await open({
      tool: "pull_request",
      arguments: { title: "Mend it", body: "Because." },
      metadata: { number: 7, url: "https://git.example/pull/7", is_new: true },
    });
    expect(text("tool-row")).toContain("Opened a pull request: Mend it");
    expect(screen.getByRole("link").getAttribute("href")).toBe("https://git.example/pull/7");
    expect(screen.getByText("Because.")).toBeDefined();
  });

  it("skill: its text and its files", async () => {
    await open({
      tool: "skill",
      arguments: { name: "release" },
      metadata: { name: "release", folder: ".agentsite/skills/release", files: ["check.sh"] },
      output:
        "# Skill: release\n\nDo it.\n\nPaths in this skill are relative to its folder, x.\nSome of its files:\n- x",
    });
    expect(text("skill")).toContain("Do it.");
    expect(text("skill")).not.toContain("Some of its files");
    expect(screen.getByTitle("check.sh")).toBeDefined();
  });

  it("lsp: places by file", async () => {
    await open({
      tool: "lsp",
      arguments: { operation: "findReferences", filePath: "/workspace/a.py", line: 3, character: 5 },
      metadata: {
        operation: "findReferences",
        results: [
          { path: "a.py", line: 3, character: 5, text: "def price" },
          { path: "b.py", line: 1, character: 1, text: "price()" },
        ],
      },
    });
    expect(text("tool-row")).toContain("Looked up references a.py:3:5");
    expect(screen.getAllByTestId("places-of-file")[1]?.textContent).toContain("1:1price()");
  });

  it("lsp about a name: what its server writes", async () => {
    await open({
      tool: "lsp",
      arguments: { operation: "hover", filePath: "a.py", line: 3, character: 5 },
      metadata: { operation: "hover", results: [{ path: "a.py", line: 3, character: 5, text: "`price`" }] },
      output: "`price`: a **number**",
    });
    expect(text("code-told").trim()).toBe("price: a number");
  });

  it("StructuredOutput: the value", async () => {
    await open({ tool: "StructuredOutput", metadata: { value: { total: 7 } } });
    expect(screen.getByLabelText("Code").textContent).toContain('"total": 7');
  });

  it("a tool that nobody has drawn: its arguments and its output", async () => {
    await open({ tool: "deploy", arguments: { to: "staging" }, output: "done" });
    expect(screen.getByText("staging")).toBeDefined();
    expect(text("tool-output")).toBe("done");
  });
});

describe("a batch", () => {
  const inner = [
    call({
      id: "call_2",
      tool: "bash",
      arguments: { command: "make" },
      state: "waiting",
      waits_for: "permission",
    }),
  ];
  const outer = call({
    tool: "batch",
    state: "waiting",
    waits_for: "calls" as never,
    metadata: { calls: [{ call_id: "call_2", tool: "bash", title: "", state: "pending" }] },
  });

  it("shows its calls while they go on, with the card of one that waits", () => {
    serve({});
    renderInSession(
      <ToolRow callId="call_1" latest={false} />,
      snapshot({ calls: [outer, ...inner], permission_requests: [request({ call_id: "call_2" })] }),
    );
    expect(screen.getAllByTestId("tool-row").map((row) => row.dataset.state)).toEqual(["running", "waiting"]);
    expect(screen.getByTestId("permission-card")).toBeDefined();
    expect(screen.getAllByTestId("tool-row")[0]?.textContent).toContain("0 of 1 done");
  });
});
