import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ModelTable, TableModel } from "../../src/api/modelTable";
import { queryClient } from "../../src/app/queries";
import { ModelTablePage } from "../../src/providers/ModelTablePage";
import { renderOnPage, serve } from "../support/render";

const TABLE = "GET /api/v1/model-table";
const MODELS = "GET /api/v1/model-table/models";

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

const table = (over: Partial<ModelTable> = {}): ModelTable => ({
  bundled_version: "1.2.3",
  models: 3200,
  providers: [{ name: "acme", models: 7 }],
  read_at: null,
  address: "",
  tried_at: null,
  problem: "",
  can_refresh: false,
  ...over,
});

const model = (name: string, over: Partial<TableModel> = {}): TableModel => ({
  name,
  provider: "acme",
  context: 200_000,
  max_output: 64_000,
  input_price: "3",
  output_price: "15",
  sees_images: true,
  sees_pdf: false,
  reasons: true,
  calls_tools: true,
  efforts: ["low", "high"],
  caches: true,
  ...over,
});

const found = (...items: TableModel[]) => ({ body: { items, next_cursor: null, total: items.length } });

it("shows what each model can do and from when the table is, and searches by words and provider", async () => {
  const asked = serve({
    [TABLE]: { body: table() },
    [MODELS]: found(model("acme/one"), model("acme/two", { calls_tools: null, input_price: null })),
  });
  renderOnPage(<ModelTablePage />);
  const [one, two] = await screen.findAllByTestId("known-model");
  expect(one?.textContent).toBe("acme/oneacme200k64k3 / 15tools, pictures, reasoning (low to high), caching");
  expect(two?.textContent).toContain("unknowntools unknown");
  expect(screen.getByText(/from the table that litellm 1\.2\.3 contains/)).toBeDefined();
  expect(screen.queryByRole("button", { name: /newest table/ })).toBeNull();
  await userEvent.type(screen.getByRole("searchbox", { name: "Search" }), "one");
  await userEvent.selectOptions(screen.getByRole("combobox", { name: "Provider" }), "acme");
  await waitFor(() => expect(asked.at(-1)?.query).toMatch(/search=one&provider=acme/));
});

it("lets an operator have it read again, and says why that failed", async () => {
  const failed = table({
    can_refresh: true,
    tried_at: "2026-11-28T00:00:00Z",
    problem: "It is only a part of one.",
  });
  let reads = 0;
  serve({
    [TABLE]: () => ({ body: reads++ === 0 ? table({ can_refresh: true }) : failed }),
    [MODELS]: found(),
    "POST /api/v1/model-table/refresh": { status: 202, body: table({ can_refresh: true }) },
  });
  renderOnPage(<ModelTablePage />);
  await userEvent.click(await screen.findByRole("button", { name: "Read the newest table" }));
  expect(await screen.findByText(/It is only a part of one\. The table above is still in use/)).toBeDefined();
  expect(screen.getByRole("button", { name: "Read the newest table" })).toBeDefined();
});
