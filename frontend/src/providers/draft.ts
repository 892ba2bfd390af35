// The draft of a provider, and the requests created from it. Pure functions.
import type { NewProvider, Provider, ProviderChange, ProviderKind, ProviderModel } from "../api/providers";

export interface Draft {
  slug: string;
  name: string;
  kind: string;
  base_url: string;
  options: Record<string, string>;
  enabled: boolean;
  key: string;
  models: ProviderModel[];
}

export const emptyDraft = (kind: ProviderKind): Draft => ({
  slug: kind.name === "openai_compatible" ? "" : kind.name,
  name: kind.name === "openai_compatible" ? "" : kind.title,
  kind: kind.name,
  base_url: "",
  options: {},
  enabled: true,
  key: "",
  models: [],
});

export const draftOf = (provider: Provider, kind: ProviderKind | undefined): Draft => ({
  slug: provider.slug,
  name: provider.name,
  kind: provider.kind,
  base_url: kind && !kind.wants_address ? "" : provider.base_url,
  options: provider.options,
  enabled: provider.enabled,
  key: "",
  models: provider.models,
});

const document = ({ name, kind, base_url, options, enabled, models }: Draft) => ({
  name: name.trim(),
  kind,
  base_url: base_url.trim(),
  options,
  enabled,
  models,
});

export const asNew = (draft: Draft): NewProvider => ({
  ...document(draft),
  slug: draft.slug.trim(),
  key: draft.key.trim(),
  headers: {},
});

export const asChange = (draft: Draft, version: number): ProviderChange => ({
  ...document(draft),
  headers: null,
  base_version: version,
});

export const emptyModel = (name: string): ProviderModel => ({ name, context: 0, sees: null, prices: null });

/** Appends models by name; names are separated by spaces or commas. Existing models are kept. */
export function withModels(models: readonly ProviderModel[], names: string): ProviderModel[] {
  const known = new Set(models.map((model) => model.name));
  const added = names.split(/[\s,]+/).filter((name) => name && !known.has(name));
  return [...models, ...[...new Set(added)].map(emptyModel)];
}

export function withPrice(model: ProviderModel, which: "input" | "output", price: string): ProviderModel {
  const prices = { input: "", output: "", ...(model.prices ?? {}), [which]: price.trim() };
  if (!prices.input && !prices.output) return { ...model, prices: null };
  return { ...model, prices: prices as ProviderModel["prices"] };
}

/** Returns models with only one of the two prices, which cannot be saved. */
export const halfPriced = (models: readonly ProviderModel[]): string[] =>
  models
    .filter(({ prices }) => prices !== null && prices !== undefined && (!prices.input || !prices.output))
    .map(({ name }) => name);
