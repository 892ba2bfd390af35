import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Project } from "../../src/api/types";
import { queryClient } from "../../src/app/queries";
import { UploadedFiles } from "../../src/uploads/UploadedFiles";
import { renderOnPage, serve } from "../support/render";

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

const project = { id: "prj_1", team_id: "tea_1", remove_at: null } as Project;
const facts = { files: 12, bytes: 2048, left_out: 0, branch: "main" };
const FILES = { body: { upload: { id: "upl_1", name: "shop.zip", state: "ready", facts } } };

it("shows what workspaces start with, and members cannot change it", async () => {
  serve({ "GET /api/v1/projects/prj_1/files": FILES });
  renderOnPage(<UploadedFiles project={project} mayChange={false} />);
  expect(await screen.findByText("New workspaces start with shop.zip: 12 files, 2 KiB.")).toBeDefined();
  expect(screen.queryByRole("button")).toBeNull();
});

it("takes the files away after a question", async () => {
  const asked = serve({
    "GET /api/v1/projects/prj_1/files": FILES,
    "PUT /api/v1/projects/prj_1/files": { body: { upload: null } },
  });
  renderOnPage(<UploadedFiles project={project} mayChange />);
  await userEvent.click(await screen.findByRole("button", { name: "Remove…" }));
  await userEvent.click(screen.getByRole("button", { name: "Remove" }));
  await waitFor(() => expect(screen.getByText("Workspaces start empty.")).toBeDefined());
  expect(asked.find(({ method }) => method === "PUT")?.body).toEqual({ upload_id: null });
  await userEvent.click(screen.getByRole("button", { name: "Upload files" }));
  const use = screen.getByRole("button", { name: "Use these files" });
  expect((use as HTMLButtonElement).disabled).toBe(true);
});
