import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FoundModel } from "../../src/api/providers";
import { queryClient } from "../../src/app/queries";
import { emptyModel } from "../../src/providers/draft";
import { FoundModels, foundInWords } from "../../src/providers/FoundModels";
import { failure, renderOnPage, serve } from "../support/render";

const found = (name: string, over: Partial<FoundModel> = {}): FoundModel => ({
  name,
  context: 40_960,
  max_output: null,
  input_price: null,
  output_price: null,
  sees_images: false,
  sees_pdf: false,
  reasons: false,
  calls_tools: true,
  is_added: false,
  entry: { ...emptyModel(name), context: 40_960, calls_tools: true },
  ...over,
});
const PATH = "POST /api/v1/providers/pvd_1/find-models";
const answer = (items: FoundModel[], over = {}) => ({ body: { items, others: 0, problem: null, ...over } });

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

describe("the models that a provider lists", () => {
  it("are offered to tick, beside what was typed, and those without tools are marked", async () => {
    serve({
      [PATH]: answer([found("llava", { calls_tools: false }), found("qwen3"), found("typed")], { others: 1 }),
    });
    const onAdd = vi.fn();
    const typed = { ...emptyModel("typed"), context: 5 };
    renderOnPage(<FoundModels providerId="pvd_1" models={[typed]} onAdd={onAdd} />);
    await userEvent.click(screen.getByRole("button", { name: "Find models" }));
    const list = await screen.findByRole("list", { name: "Found models" });
    expect(list.textContent).toContain("Cannot call tools: not for agents.");
    expect((screen.getByLabelText("typed") as HTMLInputElement).disabled).toBe(true);
    expect(screen.getByText(/1 other model left out/)).toBeDefined();
    expect((screen.getByRole("button", { name: "Tick models to add" }) as HTMLButtonElement).disabled).toBe(
      true,
    );
    await userEvent.click(screen.getByLabelText("qwen3"));
    await userEvent.click(screen.getByRole("button", { name: "Add 1 model" }));
    expect(onAdd).toHaveBeenCalledWith([typed, found("qwen3").entry]);
  });

  it("are ticked all at once, of those that the search shows", async () => {
    const many = Array.from({ length: 12 }, (_, number) =>
      found(number % 2 ? `qwen-${number}` : `gemma-${number}`),
    );
    serve({ [PATH]: answer(many) });
    const onAdd = vi.fn();
    renderOnPage(<FoundModels providerId="pvd_1" models={[]} onAdd={onAdd} startsNow />);
    await userEvent.type(await screen.findByRole("searchbox", { name: "Search found models" }), "qwen");
    await userEvent.click(screen.getByRole("button", { name: "Tick all" }));
    await userEvent.click(screen.getByRole("button", { name: "Add 6 models" }));
    expect(onAdd.mock.calls[0]?.[0]).toHaveLength(6);
  });

  it("are missing with a sentence if the server is away or odd", async () => {
    const problem = { code: "x", message: "gpu:1 answers, but gives no list.", hint: "Check the address." };
    serve({ [PATH]: answer([], { problem }) });
    renderOnPage(<FoundModels providerId="pvd_1" models={[]} onAdd={vi.fn()} startsNow />);
    expect(await screen.findByText(/gives no list/)).toBeDefined();
    serve({ [PATH]: failure(429, "too_many", "This provider was tested a moment ago.") });
    await userEvent.click(screen.getByRole("button", { name: "Ask again" }));
    await waitFor(() => expect(screen.getByText(/tested a moment ago/)).toBeDefined());
  });

  it("are described in words", () => {
    expect(foundInWords(found("a", { max_output: 16_384, sees_images: true, reasons: true }), true)).toBe(
      "41k context · 16k longest output · tools, images, reasoning · already added",
    );
    expect(foundInWords(found("a", { context: null, calls_tools: null }), false)).toBe(
      "context unknown · tools unknown",
    );
  });
});
