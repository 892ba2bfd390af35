import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { KnownModel, ProviderModel } from "../../src/api/providers";
import { queryClient } from "../../src/app/queries";
import { KnownModels } from "../../src/providers/KnownModels";
import { renderOnPage, serve } from "../support/render";

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

const known = (name: string, over: Partial<KnownModel> = {}): KnownModel => ({
  name,
  context: 200_000,
  max_output: 64_000,
  input_price: "3",
  output_price: "15",
  sees_images: true,
  sees_pdf: false,
  reasons: true,
  ...over,
});

function Form() {
  const [models, setModels] = useState<ProviderModel[]>([]);
  return (
    <>
      <KnownModels kind="anthropic" models={models} onChange={setModels} />
      <p data-testid="chosen">{models.map(({ name }) => name).join(" ")}</p>
    </>
  );
}

it("shows what is known of a model and adds it once", async () => {
  const items = [known("claude-haiku"), known("claude-sonnet", { input_price: null, output_price: null })];
  serve({ "GET /api/v1/provider-kinds/anthropic/models": { body: { items } } });
  renderOnPage(<Form />);
  await userEvent.click(await screen.findByText("Choose from 2 known models"));
  await userEvent.type(screen.getByRole("searchbox", { name: "Search known models" }), "HAIKU");
  const [row, ...others] = within(screen.getByRole("list", { name: "Known models" })).getAllByRole(
    "listitem",
  );
  expect(others).toEqual([]);
  expect(row?.textContent).toContain("200k context · $3 in, $15 out per million tokens · images, reasoning");
  const add = screen.getByRole<HTMLButtonElement>("button", { name: "Add" });
  await userEvent.click(add);
  expect(screen.getByTestId("chosen").textContent).toBe("claude-haiku");
  expect(add.disabled).toBe(true);
  await userEvent.clear(screen.getByRole("searchbox"));
  expect(screen.getByRole("list").textContent).toContain("price unknown");
});

it("is not there for a provider of which no model is known", async () => {
  const asked = serve({ "GET /api/v1/provider-kinds/anthropic/models": { body: { items: [] } } });
  renderOnPage(<Form />);
  await vi.waitFor(() => expect(asked.some(({ path }) => path.includes("provider-kinds"))).toBe(true));
  expect(screen.queryByText(/known models/)).toBeNull();
});
