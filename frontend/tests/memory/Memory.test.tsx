import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { ProjectMemory } from "../../src/memory/Memory";
import { firstLine, usedBytes } from "../../src/memory/notes";
import { MemoryNeed } from "../../src/permissions/MemoryNeed";
import { renderOnPage, serve } from "../support/render";
import { page } from "../support/teams";

const NOTE = {
  id: "mem_1",
  name: "0a1b2c3d",
  text: "Tests run with uv.\nNot with pip.",
  agent: "build",
  session_id: "ses_1",
  version: 3,
  created_at: "2026-01-01T00:00:00Z",
  changed_by: { id: "usr_1", name: "Ada", email: "ada@example.org" },
  changed_at: "2026-01-01T00:00:00Z",
  can_edit: true,
};
const LIST = "GET /api/v1/projects/prj_1/memory-notes";
const PROPS = { project: { id: "prj_1", team_id: "tea_1" }, mayChange: false } as Parameters<
  typeof ProjectMemory
>[0];

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

it("adds a note by keyboard and empties the field", async () => {
  const asked = serve({ [LIST]: page([]), "POST /api/v1/projects/prj_1/memory-notes": { body: NOTE } });
  renderOnPage(<ProjectMemory {...PROPS} />);
  await userEvent.type(await screen.findByLabelText("Text of the note"), "Use uv.");
  await userEvent.tab();
  await userEvent.keyboard("{Enter}");
  await waitFor(() => expect(screen.getByLabelText("Text of the note")).toHaveProperty("value", ""));
  expect(asked.find((one) => one.method === "POST")?.body).toEqual({ text: "Use uv." });
});

it("shows who wrote a note and saves a change with the version that was read", async () => {
  const asked = serve({ [LIST]: page([NOTE]), "PATCH /api/v1/memory-notes/mem_1": { body: NOTE } });
  renderOnPage(<ProjectMemory {...PROPS} />);
  await userEvent.click(await screen.findByRole("button", { name: /^Tests run with uv/ }));
  const row = within(screen.getByTestId("memory-note"));
  expect(row.getByText(/Written .* by the agent build for Ada in/)).toBeDefined();
  expect(row.getByRole("link", { name: "this session" }).getAttribute("href")).toBe("/sessions/ses_1");
  await userEvent.type(row.getByLabelText("Text of the note"), "!");
  await userEvent.click(row.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(asked.some((one) => one.method === "PATCH")).toBe(true));
  expect(asked.find((one) => one.method === "PATCH")?.body).toEqual({
    text: `${NOTE.text}!`,
    base_version: 3,
  });
});

it("shows a note to those who may not change it, without buttons", async () => {
  serve({ [LIST]: page([{ ...NOTE, can_edit: false }]) });
  renderOnPage(<ProjectMemory {...PROPS} />);
  await userEvent.click(await screen.findByRole("button", { name: /^Tests run with uv/ }));
  const row = within(screen.getByTestId("memory-note"));
  expect(row.getByText(/Not with pip/)).toBeDefined();
  expect(row.queryByRole("button", { name: /Delete/ })).toBeNull();
});

it("shows the whole text of a note in a permission request, and what it replaces", () => {
  const metadata = { memory_note: { action: "replace", before: "Old.", text: "Line one.\nLine two." } };
  renderOnPage(
    <MemoryNeed need={{ permission: "memory", patterns: ["replace"], always: [], metadata } as never} />,
  );
  expect(screen.getByText("Old.").tagName).toBe("S");
  expect(screen.getByText(/Line two/)).toBeDefined();
});

it("counts bytes and shortens the first line", () => {
  expect(usedBytes([{ text: "é" }, { text: "a" }])).toBe(3);
  expect([firstLine("a\nb"), firstLine("a"), firstLine("x".repeat(90)).length]).toEqual(["a…", "a", 81]);
});
