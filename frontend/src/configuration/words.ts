import type { ConfigurationSource, ConfigurationValue } from "../api/configuration";

const LEVELS: Record<ConfigurationSource["origin"], string> = {
  default: "Default",
  remote: "Defaults of an address",
  site: "Site",
  team: "Team",
  person: "Personal",
  file: "File",
  project: "Project",
  session: "This session",
  policy: "Policy",
};

export const STATUS: Record<ConfigurationValue["status"], string> = {
  applied: "In force",
  elsewhere: "Does not apply here",
  refused: "Refused",
  unsupported: "Not supported yet",
  unknown: "Unknown",
  invalid: "Not understood",
};

/** Where a value stands: a file by its path, defaults by their address, other levels by their name. */
export function sourceInWords({ origin, name }: ConfigurationSource): string {
  if (origin === "remote" && name) return `Defaults of ${name}`;
  return origin === "file" && name ? name : LEVELS[origin];
}

/** A value in one line. */
export function valueInWords(value: unknown): string {
  return typeof value === "string" ? value || '""' : JSON.stringify(value);
}

export interface ConfigurationGroup {
  name: string;
  values: ConfigurationValue[];
}

/** Groups values by their top-level key, in the order in which the keys appear. */
export function groupValues(values: readonly ConfigurationValue[]): ConfigurationGroup[] {
  const groups = new Map<string, ConfigurationValue[]>();
  for (const value of values) {
    const name = value.path[0] ?? value.key;
    groups.set(name, [...(groups.get(name) ?? []), value]);
  }
  return [...groups].map(([name, found]) => ({ name, values: found }));
}
