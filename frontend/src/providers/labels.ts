// Labels of providers.
import type { OfferedModel, Provider } from "../api/providers";
import { formatAgo, formatNumber } from "../lib/format";

export type ShownState = Provider["state"] | "off";

export const STATE_LABELS: Record<ShownState, string> = {
  ok: "Works",
  failing: "Fails",
  unknown: "Not used yet",
  off: "Disabled",
};

export const CHECK_LABELS: Record<string, string> = {
  address: "Address",
  key: "Key",
  models: "Model list",
  answer: "Test answer",
};

export function keyText({ key }: Provider): string {
  if (!key) return "No key.";
  const ending = key.ending ? `, ends in …${key.ending}` : "";
  const by = key.set_by ? ` by ${key.set_by}` : "";
  return `Key set${ending}${by}${key.set_at ? `, ${formatAgo(key.set_at)}` : ""}.`;
}

export function priceText({ prices }: OfferedModel): string {
  if (!prices) return "unknown";
  if (Number(prices.input) === 0 && Number(prices.output) === 0) return "free";
  return `$${prices.input} in, $${prices.output} out`;
}

/** Whether agents can work with the model: nothing is known against it, or the operators of the site chose it. */
export const isForAgents = ({ refusal, calls_tools, provider }: OfferedModel): boolean =>
  !refusal && (calls_tools !== false || provider === "site");

export const toolsText = ({ calls_tools }: OfferedModel): string =>
  calls_tools === null ? "unknown" : calls_tools ? "yes" : "no: not for agents";

export const contextText = ({ context }: OfferedModel): string =>
  context ? `${formatNumber(context)} tokens` : "unknown";

const FIELD_LABELS: Record<string, string> = {
  slug: "Short name",
  name: "Name",
  kind: "Kind",
  base_url: "Address",
  key: "Key",
  models: "Models",
  "options.region": "Region",
  "options.api_version": "API version",
  "options.project": "Google Cloud project",
  "options.location": "Location",
  default_model: "Default model",
  small_model: "Small model",
  blocked: "Blocked models",
  only: "Allowed models",
  fallbacks: "Fallback models",
  headers: "Headers",
  timeout_seconds: "Longest silence",
  retries: "Retries",
};

export const fieldLabel = (field: string): string => FIELD_LABELS[field] ?? field;

export const OPTION_LABELS: Record<string, { label: string; example: string }> = {
  region: { label: "Region", example: "eu-central-1" },
  api_version: { label: "API version", example: "2024-10-21" },
  project: { label: "Google Cloud project", example: "tea-shop-1" },
  location: { label: "Location", example: "europe-west1, or global" },
};

export const SERVICE_ACCOUNT_HINT =
  "Paste the whole JSON file that Google Cloud created for the service account. It needs the role Vertex AI User.";
