import { describe, expect, it } from "vitest";
import {
  asNew,
  emptyDraft,
  halfPriced,
  withKey,
  withKind,
  withModels,
  withPrice,
} from "../../src/providers/draft";
import { dailyBars, formatMeasured, type Measure, spanOf, unknownPriceText } from "../../src/usage/shape";

const KIND = {
  name: "openai_compatible",
  title: "OpenAI-compatible",
  base_url: "",
  wants_address: true,
  example: "",
  needs_key: false,
  key_form: "key" as const,
  signs_in: false,
  sign_in_problem: "",
  lists_models: true,
  options: [],
};

describe("a provider that is written down", () => {
  it("takes several names of models at once, each once", () => {
    const models = withModels(withModels([], "a, b"), "b c\nc");
    expect(models.map((model) => model.name)).toEqual(["a", "b", "c"]);
  });

  it("has prices only when both are said", () => {
    const [model] = withModels([], "a");
    if (!model) throw new Error("no model");
    const half = withPrice(model, "input", "1.5");
    expect(halfPriced([half])).toEqual(["a"]);
    expect(halfPriced([withPrice(half, "output", "3")])).toEqual([]);
    expect(withPrice(half, "input", "").prices).toBeNull();
  });

  it("is sent without blanks around its words", () => {
    const draft = {
      ...emptyDraft(KIND),
      name: " House ",
      slug: "house",
      base_url: " https://x.example/v1 ",
      key: " k ",
      headers: [
        [" X-Account ", " 7 "],
        ["", "left out"],
      ] as [string, string][],
    };
    expect(asNew(draft, KIND)).toMatchObject({
      name: "House",
      base_url: "https://x.example/v1",
      key: "k",
      headers: { "X-Account": "7" },
    });
  });
});

describe("a provider whose kind is changed", () => {
  const openai = { ...KIND, name: "openai", title: "OpenAI", wants_address: false };

  it("keeps what was typed, and changes names that nobody has typed", () => {
    const typed = { ...emptyDraft(openai), key: "k", models: withModels([], "gpt-5"), retries: 1 };
    const groq = { ...openai, name: "groq", title: "Groq" };
    expect(withKind(typed, openai, groq)).toMatchObject({
      kind: "groq",
      name: "Groq",
      slug: "groq",
      key: "k",
      models: [{ name: "gpt-5" }],
      retries: 1,
    });
    expect(withKind({ ...typed, name: "Ours" }, openai, groq).name).toBe("Ours");
  });

  it("sends no address or option of the kind before", () => {
    const draft = {
      ...emptyDraft(KIND),
      base_url: "https://x.example/v1",
      options: { region: "eu-central-1" },
    };
    expect(asNew(withKind(draft, KIND, openai), openai)).toMatchObject({ base_url: "", options: {} });
  });
});

describe("the key file of a service account", () => {
  const vertex = {
    ...KIND,
    name: "vertex",
    key_form: "service_account" as const,
    options: ["project", "location"],
  };

  it("names its project, unless one was typed", () => {
    const file = JSON.stringify({ type: "service_account", project_id: "tea-shop-1" });
    expect(withKey(emptyDraft(vertex), vertex, file).options.project).toBe("tea-shop-1");
    const typed = { ...emptyDraft(vertex), options: { project: "mine" } };
    expect(withKey(typed, vertex, file).options.project).toBe("mine");
    expect(withKey(emptyDraft(vertex), vertex, "{").options).toEqual({});
  });
});

describe("usage", () => {
  it("spans whole days that end today", () => {
    expect(spanOf(7, Date.parse("2026-03-08T23:30:00Z"))).toEqual({
      since: "2026-03-02",
      until: "2026-03-08",
    });
  });

  it("has a bar for days on which nothing happened, too", () => {
    const tokens = { input: 5, output: 4, reasoning: 3, cache_read: 2, cache_write: 1 };
    const sums = { cost: "1.5", calls: 7, unknown: 2, estimated: 0, tokens };
    const group = { key: "2026-03-02", label: "", ...sums } as Parameters<typeof dailyBars>[0][number];
    const barsOf = (measure: Measure) => dailyBars([group], "2026-03-01", "2026-03-03", measure);
    expect(barsOf("cost").map((bar) => bar.amount)).toEqual([0, 1.5, 0]);
    expect(barsOf("tokens").map((bar) => bar.amount)).toEqual([0, 15, 0]);
    expect(barsOf("calls").map((bar) => bar.amount)).toEqual([0, 7, 0]);
    expect(barsOf("cost").map((bar) => bar.unknown)).toEqual([0, 2, 0]);
  });

  it("never shows an unknown cost as nothing", () => {
    expect(formatMeasured(0, "cost", 2)).toBe("unknown cost");
    expect(formatMeasured(1, "calls")).toBe("1 call");
    expect(formatMeasured(1500, "tokens")).toBe("1.5k tokens");
  });

  it("counts what has no known price", () => {
    expect([0, 1, 3].map(unknownPriceText)).toEqual([
      "",
      "1 call with unknown price",
      "3 calls with unknown price",
    ]);
  });
});
