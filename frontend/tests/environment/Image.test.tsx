import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ProjectImage } from "../../src/api/images";
import type { Project } from "../../src/api/types";
import { queryClient } from "../../src/app/queries";
import { Image } from "../../src/environment/Image";
import { renderOnPage, serve } from "../support/render";

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

const PROJECT = { id: "prj_1", team_id: "tea_1", name: "Tea shop", remove_at: null } as Project;
const SITES_OWN = { name: "default", description: "The site's own image", refused_by: "" } as const;
const IMAGE: ProjectImage = {
  tag: "*",
  image: "default",
  problem: "",
  wanted: null,
  images: [
    SITES_OWN,
    { name: "java", description: "Java 21", refused_by: "" },
    { name: "rails", description: "", refused_by: "team" },
  ],
};

function show(image: ProjectImage = IMAGE, mayChange = true) {
  const asked = serve({
    "GET /api/v1/projects/prj_1/image": { body: image },
    "PUT /api/v1/projects/prj_1/image": { body: { ...image, image: "java" } },
  });
  renderOnPage(<Image project={PROJECT} mayChange={mayChange} />);
  return asked;
}

const field = () => screen.findByRole<HTMLSelectElement>("combobox", { name: "Programs of a workspace" });
const choose = () => screen.queryByRole<HTMLButtonElement>("button", { name: "Choose image" });

it("chooses another image", async () => {
  const asked = show();
  await userEvent.selectOptions(await field(), "java");
  expect(screen.getByText(/Java 21/)).toBeDefined();
  await userEvent.click(choose() as HTMLButtonElement);
  await waitFor(() => expect(choose()?.disabled).toBe(true));
  expect(asked.find(({ method }) => method === "PUT")?.body).toEqual({ image: "java" });
});

it("says which policy refuses an image, and does not offer it", async () => {
  show();
  await field();
  const refused = screen.getByRole<HTMLOptionElement>("option", {
    name: "rails (refused by the policy of the team)",
  });
  expect(refused.disabled).toBe(true);
});

it("says why the chosen image is not allowed any more", async () => {
  show({ ...IMAGE, problem: "The policy of the team allows default only." });
  expect(await screen.findByText("The policy of the team allows default only.")).toBeDefined();
});

it("is read-only for members", async () => {
  show(IMAGE, false);
  expect((await field()).disabled).toBe(true);
  expect(choose()).toBeNull();
});

it("says who can add images where there is only the site's own", async () => {
  show({ ...IMAGE, images: [SITES_OWN] });
  expect(await screen.findByText(/Operators of the site can register others/)).toBeDefined();
  expect(choose()).toBeNull();
});

it("says which image the repository asks for and why it is not used", async () => {
  const wanted = {
    source: ".devcontainer.json",
    image: "ruby:3",
    name: "",
    note: "It is not used, because so.",
  };
  show({ ...IMAGE, wanted });
  expect((await screen.findByText(/It is not used, because so/)).textContent).toContain("asks for ruby:3");
});
