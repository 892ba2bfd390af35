import { screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ProjectNetwork, RefusedHost } from "../../src/api/policyTypes";
import type { Project } from "../../src/api/types";
import { queryClient } from "../../src/app/queries";
import { Network } from "../../src/environment/Network";
import { nextStep, policyOfMode } from "../../src/environment/network";
import { at } from "../support/builders";
import { renderOnPage, serve } from "../support/render";

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

const PROJECT = { id: "prj_1", team_id: "tea_1", name: "Tea shop" } as Project;

const host = (over: Partial<RefusedHost> = {}): RefusedHost => ({
  name: "example.org",
  reason: "example.org is refused: the network mode is packages (the policy of the team).",
  cause: "rules",
  action: "ask",
  times: 3,
  last_at: at(0),
  session_id: "ses_1",
  ...over,
});

const network = (over: Partial<ProjectNetwork> = {}): ProjectNetwork => ({
  mode: "packages",
  source: "team",
  granter: "member",
  traffic: { received: 0, sent: 0, connections: 0, refused: 0 },
  refused: [],
  grants: [],
  ...over,
});

const show = (body: ProjectNetwork, mayChange = true) => {
  serve({ "GET /api/v1/projects/prj_1/network": { body } });
  renderOnPage(<Network project={PROJECT} mayChange={mayChange} />);
};

it("names the mode, and links to the policy that sets it", async () => {
  show(network());
  expect((await screen.findByTestId("network-mode")).textContent).toBe("Package registries");
  expect(screen.getByText("Set by the policy of the team.")).toBeDefined();
  expect(screen.getByRole("link", { name: "View policy" }).getAttribute("href")).toBe(
    "/policies/tea_1/options",
  );
  expect(screen.getByText("No command was refused a host.")).toBeDefined();
});

it("shows a refused host, how often, in which session, and where it can be allowed", async () => {
  show(network({ refused: [host()] }));
  const row = within(await screen.findByTestId("refused-host"));
  expect(row.getByText("3 calls")).toBeDefined();
  expect(row.getByRole("link", { name: "this session" }).getAttribute("href")).toBe("/sessions/ses_1");
  expect(row.getByRole("link", { name: "Allow with a rule: example.org" }).getAttribute("href")).toBe(
    "/policies/prj_1/rules",
  );
});

it("offers nobody who is no admin a page that only admins can change", async () => {
  show(network({ refused: [host()] }), false);
  const row = within(await screen.findByTestId("refused-host"));
  expect(row.queryByRole("link", { name: /Allow/ })).toBeNull();
  expect(row.getByText("Members can allow it when a command asks, admins with a rule.")).toBeDefined();
});

it("does not repeat the reason for a host that is allowed now", async () => {
  show(network({ refused: [host({ action: "allow" })] }));
  const row = within(await screen.findByTestId("refused-host"));
  expect(row.getByText("It is allowed now.")).toBeDefined();
  expect(row.queryByText(/is refused/)).toBeNull();
});

it("leads to the mode where no rule can open the network", () => {
  const off = network({ mode: "none", source: "site" });
  expect(nextStep(host({ action: "deny" }), off, PROJECT, true).path).toBe("/policies/site/options");
  expect(policyOfMode("default", PROJECT)).toBe("prj_1");
});

it("says of an address that nobody can allow it, whatever the rules say", () => {
  for (const action of ["allow", "ask", "deny"] as const) {
    const step = nextStep(host({ cause: "address", action }), network(), PROJECT, true);
    expect([step.isAllowed, step.path]).toEqual([false, ""]);
  }
});

it("lists the hosts that people allowed", async () => {
  const grant = {
    id: "gra_1",
    scope: "project" as const,
    project_id: "prj_1",
    session_id: null,
    request_id: null,
    permission: "egress",
    pattern: "mirror.example",
    granted_by: null,
    created_at: at(0),
  };
  show(network({ grants: [grant] }));
  expect(await screen.findByText("egress mirror.example")).toBeDefined();
  expect(screen.getByRole("button", { name: "Revoke egress mirror.example" })).toBeDefined();
});
