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
  /** Extra headers by name and value; null keeps those of a saved provider, whose values nobody can read. */
  headers: [string, string][] | null;
  timeout_seconds: number | null;
  retries: number | null;
}

export const emptyDraft = (kind: ProviderKind): Draft => ({
  slug: kind.name === "openai_compatible" ? "" : kind.name.replaceAll("_", "-"),
  name: kind.name === "openai_compatible" ? "" : kind.title,
  kind: kind.name,
  base_url: "",
  options: {},
  enabled: true,
  key: "",
  models: [],
  headers: [],
  timeout_seconds: null,
  retries: null,
});

/** Returns the draft with another kind. What was typed stays, except what only the kind before has. */
export function withKind(draft: Draft, before: ProviderKind, kind: ProviderKind): Draft {
  const [was, now] = [emptyDraft(before), emptyDraft(kind)];
  return {
    ...draft,
    kind: kind.name,
    name: draft.name === was.name ? now.name : draft.name,
    slug: draft.slug === was.slug ? now.slug : draft.slug,
  };
}

export const draftOf = (provider: Provider, kind: ProviderKind | undefined): Draft => ({
  slug: provider.slug,
  name: provider.name,
  kind: provider.kind,
  base_url: kind && !kind.wants_address ? "" : provider.base_url,
  options: provider.options,
  enabled: provider.enabled,
  key: "",
  models: provider.models,
  headers: provider.header_names.length > 0 ? null : [],
  timeout_seconds: provider.timeout_seconds,
  retries: provider.retries,
});

const document = (draft: Draft, kind: ProviderKind) => ({
  name: draft.name.trim(),
  kind: draft.kind,
  base_url: kind.wants_address ? draft.base_url.trim() : "",
  options: Object.fromEntries(kind.options.map((name) => [name, draft.options[name] ?? ""])),
  enabled: draft.enabled,
  models: draft.models,
  timeout_seconds: draft.timeout_seconds,
  retries: draft.retries,
});

const headersOf = (rows: [string, string][]): Record<string, string> =>
  Object.fromEntries(rows.map(([name, value]) => [name.trim(), value.trim()]).filter(([name]) => name));

export const asNew = (draft: Draft, kind: ProviderKind): NewProvider => ({
  ...document(draft, kind),
  slug: draft.slug.trim(),
  key: draft.key.trim(),
  headers: headersOf(draft.headers ?? []),
});

export const asChange = (draft: Draft, kind: ProviderKind, version: number): ProviderChange => ({
  ...document(draft, kind),
  headers: draft.headers === null ? null : headersOf(draft.headers),
  base_version: version,
});

export const emptyModel = (name: string): ProviderModel => ({
  name,
  context: 0,
  max_output: 0,
  sees: null,
  prices: null,
});

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

/** Returns the draft with a key. The key file of a service account names its project, which need not be typed then. */
export function withKey(draft: Draft, kind: ProviderKind, key: string): Draft {
  const project = kind.key_form === "service_account" ? projectIn(key) : "";
  const options = project && !draft.options.project ? { ...draft.options, project } : draft.options;
  return { ...draft, key, options };
}

function projectIn(keyFile: string): string {
  try {
    const { project_id: project } = JSON.parse(keyFile) as { project_id?: unknown };
    return typeof project === "string" ? project : "";
  } catch {
    return "";
  }
}
