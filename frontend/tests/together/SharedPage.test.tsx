import { screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { SharedPage } from "../../src/together/SharedPage";
import { renderOnPage, serve } from "../support/render";

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

const said = (id: string, role: string, agent: string) => ({ id, role, agent, author: "Ann", parts: [] });

it("names an agent once for all steps of its answer, and again after the next prompt", async () => {
  const messages = [
    said("msg_1", "user", ""),
    said("msg_2", "assistant", "build"),
    said("msg_3", "assistant", "build"),
    said("msg_4", "user", ""),
    said("msg_5", "assistant", "build"),
  ];
  serve({
    "GET /api/v1/shared/key": {
      body: { title: "Tea", reach: "public", expires_at: null, earlier: false, status: "idle", messages },
    },
  });
  renderOnPage(<SharedPage secret="key" />);
  await screen.findByRole("heading", { name: "Tea" });
  const names = [...document.querySelectorAll(".shared-author")].map((item) => item.textContent);
  expect(names).toEqual(["Ann", "build", "Ann", "build"]);
});
