import { cleanup, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { WorkspaceDetail } from "../../src/api/workspaceTypes";
import { queryClient } from "../../src/app/queries";
import { WorkspacePage } from "../../src/workspaces/WorkspacePage";
import { at } from "../support/builders";
import { failure, meAs, renderOnPage, serve } from "../support/render";
import { usage, workspace } from "../support/workspaces";

const ONE = "/api/v1/workspaces/wsp_1";

function open(shown: WorkspaceDetail, more: Parameters<typeof serve>[0] = {}, role = "member") {
  const asked = serve({
    "GET /api/v1/me": meAs(role),
    [`GET ${ONE}`]: { body: shown },
    [`GET ${ONE}/usage`]: { body: { live: true, usage: shown.usage } },
    ...more,
  });
  renderOnPage(<WorkspacePage workspaceId="wsp_1" />);
  return asked;
}

const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>("button", { name });
const meter = (name: string) => screen.getByRole("meter", { name });
const posts = (asked: ReturnType<typeof serve>) =>
  asked.filter((item) => item.method !== "GET").map((item) => `${item.method} ${item.path}${item.query}`);

afterEach(() => {
  cleanup(); // nothing asks for more once the answers are gone
  vi.unstubAllGlobals();
  queryClient.clear();
});

describe("limits and usage", () => {
  it("are meters with numbers, and say whose word each limit is", async () => {
    open(workspace());
    await screen.findByText("Live, updated every 3 s");
    expect(meter("Memory").getAttribute("aria-valuetext")).toBe("256 MiB of 1 GiB");
    const rows = screen.getAllByTestId("meter").map((row) => row.textContent);
    expect(rows[0]).toContain("policy of the team");
    expect(rows[2]).toContain("100 MiB of 4 GiB default");
    expect(screen.queryByRole("link", { name: "policy of the team" })).toBeNull();
  });

  it("lead an admin to the policy", async () => {
    open(workspace(), {}, "admin");
    const link = await screen.findByRole("link", { name: "policy of the team" });
    expect(link.getAttribute("href")).toBe("/policies/tea_1/options");
  });

  it("say in words that little is left", async () => {
    const full = usage({ memory: { used: 99, limit: 100 } });
    open(workspace({ usage: full }));
    await waitFor(() => expect(meter("Memory").getAttribute("aria-valuetext")).toMatch(/, full$/));
  });

  it("are as last seen while it does not run, and nobody asks the node", async () => {
    const asked = open(workspace({ state: "stopped", may: ["start"] }));
    await screen.findByText(/Last measured/);
    expect(asked.some((item) => item.path.endsWith("/usage"))).toBe(false);
  });

  it("say plainly that a disk limit is soft", async () => {
    open(workspace({ disk_driver: "soft" }));
    expect((await screen.findAllByText(/Soft limit: the size is checked periodically/)).length).toBe(2);
  });
});

describe("the self-check", () => {
  it("is folded when all passed, and opens to each item", async () => {
    open(workspace());
    const fold = await screen.findByRole("button", { name: "2 checks passed" });
    expect(screen.queryAllByTestId("check-item")).toHaveLength(0);
    await userEvent.click(fold);
    expect(screen.getAllByTestId("check-item")[0]?.textContent).toBe("Passedno networkonly lo");
  });

  it("shows what failed at once", async () => {
    const items = [
      { name: "no network", passed: false, found: "eth0" },
      { name: "no capabilities", passed: true, found: "none" },
    ];
    const check = { passed: false, runtime: "runc", kernel: "6.1", items, at: at(0) };
    open(workspace({ state: "failed", detail: "The self-check failed.", self_check: check, may: ["start"] }));
    await screen.findByText("1 check failed");
    expect(screen.getByTestId("check-item").textContent).toContain("Failedno networketh0");
    expect(screen.getByText(/an operator of the site must check the node/)).toBeDefined();
  });

  it("runs again, and is busy until there is a new one", async () => {
    let now = workspace();
    const asked = open(now, {
      [`GET ${ONE}`]: () => ({ body: now }),
      [`POST ${ONE}/check`]: () => ({ status: 202, body: now }),
    });
    await userEvent.click(await screen.findByRole("button", { name: "Run again" }));
    await waitFor(() => expect(button("Checking").disabled).toBe(true));
    expect(posts(asked)).toEqual([`POST ${ONE}/check`]);
    now = workspace({ self_check: { ...now.self_check, items: [], at: at(9) } as never });
    await screen.findByRole("button", { name: "Run again" });
  });
});

describe("what can be done", () => {
  it("is only what the server says this person may", async () => {
    open(workspace({ may: ["stop"] }));
    await screen.findByRole("button", { name: "Stop" });
    for (const name of ["Start", "Restart", "Rebuild", "Delete", "Run again"]) {
      expect(screen.queryByRole("button", { name })).toBeNull();
    }
  });

  it("says what is lost and what is kept before it stops", async () => {
    const stopped = workspace({ state: "stopped", may: ["start"] });
    let now = workspace();
    const asked = open(now, {
      [`GET ${ONE}`]: () => ({ body: now }),
      [`POST ${ONE}/stop`]: () => {
        now = stopped;
        return { status: 202, body: workspace() };
      },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Stop" }));
    expect(posts(asked)).toEqual([]);
    const dialog = screen.getByTestId("confirm");
    expect(dialog.textContent).toMatch(
      /Running commands are stopped.*Files in the workspace and its home directory are kept/,
    );
    await userEvent.click(within(dialog).getByRole("button", { name: "Stop" }));
    expect(posts(asked)).toEqual([`POST ${ONE}/stop`]);
    await waitFor(() => expect(button("Stopping").disabled).toBe(true));
    await screen.findByRole("button", { name: "Start" });
  });

  it("offers to stop by force when calls run in it", async () => {
    const busy = failure(409, "workspace_busy", "1 tool call runs in this workspace.", "Wait for its end.");
    const asked = open(workspace(), { [`POST ${ONE}/stop`]: busy });
    await userEvent.click(await screen.findByRole("button", { name: "Stop" }));
    await userEvent.click(within(screen.getByTestId("confirm")).getByRole("button", { name: "Stop" }));
    await screen.findByText("1 tool call runs in this workspace.");
    await userEvent.click(button("Stop anyway"));
    await waitFor(() => expect(posts(asked)).toContain(`POST ${ONE}/stop?force=true`));
  });

  it("says for how long a deletion can be undone, and takes it back", async () => {
    const removing = workspace({ state: "removing", remove_at: at(86_400), may: ["keep"] });
    const asked = open(workspace(), {
      [`DELETE ${ONE}`]: { status: 202, body: removing },
      [`POST ${ONE}/keep`]: { body: workspace({ state: "stopped" }) },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Delete" }));
    const dialog = screen.getByTestId("confirm");
    expect(dialog.textContent).toContain("You can cancel the deletion for 7 days");
    await userEvent.click(within(dialog).getByRole("button", { name: "Delete" }));
    const banner = await screen.findByTestId("removal");
    expect(banner.textContent).toContain("Will be deleted on January 2, 2026");
    await userEvent.click(within(banner).getByRole("button", { name: "Cancel deletion" }));
    await waitFor(() => expect(screen.queryByTestId("removal")).toBeNull());
    expect(posts(asked)).toEqual([`DELETE ${ONE}`, `POST ${ONE}/keep`]);
  });
});

it("a command in the background can be stopped, and leads to its session", async () => {
  const call = {
    call_id: "call_9",
    command: "python3 -m http.server",
    session_id: "ses_7",
    started_at: at(0),
    seconds_left: 600,
    running: true,
    output_bytes: 2048,
  };
  const asked = open(workspace(), {
    [`GET ${ONE}/background`]: { body: { items: [call] } },
    [`POST ${ONE}/background/call_9/stop`]: { status: 202, body: {} },
  });
  const row = await screen.findByTestId("background-call");
  expect(row.textContent).toContain("10 min 0 s left · 2 KiB of output");
  expect(within(row).getByRole("link").getAttribute("href")).toBe("/sessions/ses_7");
  await userEvent.click(within(row).getByRole("button", { name: "Stop python3 -m http.server" }));
  expect(posts(asked)).toEqual([`POST ${ONE}/background/call_9/stop`]);
});

it("another team's workspace is not there", async () => {
  open(workspace(), { [`GET ${ONE}`]: failure(404, "not_found", "There is no such workspace.") });
  await screen.findByText("There is no such workspace");
});
