import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Policy } from "../../src/api/policyTypes";
import { queryClient } from "../../src/app/queries";
import { fieldLabel } from "../../src/policies/fieldLabel";
import { PolicyPage } from "../../src/policies/PolicyPage";
import { sandboxLines, sandboxProblems, strictest } from "../../src/policies/sandbox";
import { policy, policyDocument } from "../support/policies";
import { meAs, renderOnPage, serve } from "../support/render";

const PATH = "/api/v1/policies/tea_1";

/** A policy that says these things about the sandbox, also such that this page does not know. */
function saying(sandbox: Record<string, unknown>, over: Partial<Policy> = {}): Policy {
  const made = policy(over);
  return { ...made, options: { ...made.options, sandbox: { ...made.options.sandbox, ...sandbox } } };
}

function open(saved: Policy, site: Policy = policy({ place: "site" })) {
  const asked = serve({
    "GET /api/v1/me": meAs("admin"),
    [`GET ${PATH}`]: { body: saved },
    "GET /api/v1/policies/site": { body: site },
    "GET /api/v1/images": {
      body: { items: [{ name: "java", description: "", programs: [] }], next_cursor: null },
    },
    [`PUT ${PATH}`]: { body: { ...saved, version: 2 } },
  });
  renderOnPage(<PolicyPage place="tea_1" tab="options" />);
  return asked;
}

async function save(reason: string) {
  await userEvent.click(screen.getByRole("button", { name: "Save…" }));
  await userEvent.type(screen.getByLabelText("Reason"), `${reason}{Enter}`);
}

afterEach(() => {
  vi.unstubAllGlobals();
  queryClient.clear();
});

describe("images in a policy", () => {
  it("are chosen among those that operators registered", async () => {
    const asked = open(saying({ images: ["default", "gone"] }), policy({ place: "site" }));
    await userEvent.click(await screen.findByLabelText("java"));
    await userEvent.click(screen.getByLabelText(/^gone/));
    await save("Java too");
    await waitFor(() => expect(asked.some((item) => item.method === "PUT")).toBe(true));
    const sent = asked.find((item) => item.method === "PUT")?.body as { document: Policy };
    expect(sent.document.options.sandbox?.images).toEqual(["default", "java"]);
  });

  it("are all allowed without a list", async () => {
    open(saying({ images: null }));
    await screen.findByLabelText("All images");
    expect(screen.queryByLabelText("java")).toBeNull();
    await userEvent.click(screen.getByLabelText("All images"));
    await userEvent.click(await screen.findByLabelText("default"));
    await userEvent.click(screen.getByLabelText("java"));
    expect(screen.getByText(/no workspace starts/)).toBeDefined();
  });
});

describe("limits of workspaces in a policy", () => {
  it("are saved as numbers, and what the page does not know stays", async () => {
    const asked = open(saying({ pids: 100, gpus: 3 }));
    await userEvent.type(await screen.findByLabelText("Memory in MiB"), "512");
    await userEvent.clear(screen.getByLabelText("Processes"));
    await userEvent.type(screen.getByLabelText("Container runtime"), "runsc");
    await userEvent.selectOptions(screen.getByLabelText("Network of programs"), "Package registries");
    await userEvent.selectOptions(screen.getByLabelText("Network during set-up"), "Public web");
    await save("Smaller");
    await waitFor(() => expect(asked.some((item) => item.method === "PUT")).toBe(true));
    const sent = asked.find((item) => item.method === "PUT")?.body as { document: Policy };
    expect(sent.document.options.sandbox).toEqual({
      ...policyDocument().options.sandbox,
      memory_mib: 512,
      pids: null,
      runtime: "runsc",
      network: "packages",
      setup_network: "open",
      gpus: 3,
    });
  });

  it("show what a place above says", async () => {
    open(policy(), saying({ memory_mib: 2048 }, { place: "site" }));
    const field = await screen.findByLabelText("Memory in MiB");
    await waitFor(() => expect(field.getAttribute("aria-describedby")).toBeTruthy());
    expect(screen.getByText("Policy of the site: 2 GiB")).toBeDefined();
  });

  it("out of bounds are named and not saved", async () => {
    open(policy());
    await userEvent.type(await screen.findByLabelText("Memory in MiB"), "12");
    expect(
      screen.getAllByText("Memory must be between 128 and 1,048,576 MiB.").length,
    ).toBeGreaterThanOrEqual(1);
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Save…" }).disabled).toBe(true);
  });
});

it("the strictest of several places is found with its place", () => {
  expect(strictest([null, 5, 3])).toEqual({ value: 3, at: 2 });
  expect(strictest([4, 4])).toEqual({ value: 4, at: 0 });
  expect(strictest([null])).toBeNull();
});

it("what is said is written as the server's diffs write it", () => {
  const document = policyDocument();
  document.options.sandbox = { ...document.options.sandbox, memory_mib: 512, cpus: 0.5, runtime: "runsc" };
  expect(sandboxLines(document)).toEqual([
    "sandbox.memory_mib = 512",
    "sandbox.cpus = 0.5",
    "sandbox.runtime = runsc",
  ]);
});

it("a draft from before there were limits has none, and no fault", () => {
  const document = policyDocument();
  const { sandbox: _gone, ...options } = document.options;
  const old = { ...document, options: options as typeof document.options };
  expect(sandboxProblems(old)).toEqual([]);
  expect(sandboxLines(old)).toEqual([]);
});

it("a field that the server refuses is named by its label", () => {
  expect(fieldLabel("document.options.sandbox.memory_mib")).toBe("Sandbox, Memory");
});
