import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { SessionSkills } from "../../src/skills/SessionSkills";
import { StoredSkills } from "../../src/skills/StoredSkills";
import { failure, renderInSession, renderOnPage, serve } from "../support/render";

const VERSION = { files: [{ path: "SKILL.md", size: 90 }], created_at: "2026-01-01T00:00:00Z" };
const SKILL = {
  id: "skl_1",
  place: "tea_1",
  name: "pdf",
  in_force: 2,
  changed_by: null,
  changed_at: "2026-01-01T00:00:00Z",
  can_edit: true,
  versions: [
    {
      ...VERSION,
      number: 2,
      description: "Newer",
      uploaded_by: { id: "usr_1", name: "Ada", email: "a@b.c" },
    },
    { ...VERSION, number: 1, description: "Older", uploaded_by: null },
  ],
};
const LIST = "GET /api/v1/configurations/tea_1/skills";
const UPLOAD = "POST /api/v1/configurations/tea_1/skills";

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

it("uploads a zip file, and says why one is refused", async () => {
  serve({
    [LIST]: { body: { items: [], can_edit: true } },
    [UPLOAD]: failure(400, "bad_request", "The skill was not stored. The zip file has no SKILL.md."),
  });
  renderOnPage(<StoredSkills place="tea_1" />);
  const file = new File(["x"], "pdf.zip", { type: "application/zip" });
  await userEvent.upload(await screen.findByLabelText("Zip file of a skill"), file);
  expect(await screen.findByText(/has no SKILL.md/)).toBeDefined();
});

it("puts another version in force, and switches a skill off", async () => {
  const asked = serve({
    [LIST]: { body: { items: [SKILL], can_edit: true } },
    "PATCH /api/v1/skill-packages/skl_1": { body: SKILL },
  });
  renderOnPage(<StoredSkills place="tea_1" />);
  await userEvent.click(await screen.findByRole("button", { name: /^pdf/ }));
  const row = within(screen.getByTestId("skill-row"));
  expect(row.getByText("Newer")).toBeDefined();
  expect(row.getByText(/by Ada/)).toBeDefined();
  await userEvent.click(row.getByRole("radio", { name: "Version 1" }));
  await userEvent.click(row.getByRole("radio", { name: "Off" }));
  await waitFor(() => expect(asked.filter((one) => one.method === "PATCH")).toHaveLength(2));
  expect(asked.filter((one) => one.method === "PATCH").map((one) => one.body)).toEqual([
    { in_force: 1 },
    { in_force: null },
  ]);
});

it("shows skills without buttons to those who may not change them", async () => {
  serve({ [LIST]: { body: { items: [{ ...SKILL, can_edit: false }], can_edit: false } } });
  renderOnPage(<StoredSkills place="tea_1" />);
  await userEvent.click(await screen.findByRole("button", { name: /^pdf/ }));
  expect(screen.queryByRole("button", { name: /Upload|Remove/ })).toBeNull();
  expect(screen.getByRole("group", { name: "In force" })).toHaveProperty("disabled", true);
});

it("lists the skills of a session with their sources", async () => {
  const skill = {
    name: "pdf",
    description: "Forms",
    source: "team",
    folder: "/x",
    problem: "",
    listed: true,
  };
  serve({
    "GET /api/v1/sessions/ses_1/skills": {
      body: {
        items: [
          skill,
          { ...skill, name: "sql", source: "file", folder: ".claude/skills/sql", listed: false },
        ],
      },
    },
  });
  renderInSession(<SessionSkills sessionId="ses_1" />);
  const lines = (await screen.findAllByTestId("session-skill")).map((line) => line.textContent);
  expect(lines[0]).toContain("of the team");
  expect(lines[1]).toContain(".claude/skills/sql; a rule denies it");
});
