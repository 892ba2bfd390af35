// The editable content of a policy, and pure functions on it.
import type { Expectation, Policy, PolicyDocument, Rule } from "../api/policyTypes";
import { sandboxProblems } from "./sandbox";

export type RuleList = "rules" | "enforced";

export const documentOf = ({
  preset,
  rules,
  enforced,
  options,
  expectations,
}: PolicyDocument): PolicyDocument => ({
  preset,
  rules,
  enforced,
  options,
  expectations,
});

/** Initial values of new rows. New limits deny, as most limits do. */
export const EMPTY_RULES: Record<RuleList, Rule> = {
  rules: { permission: "bash", pattern: "", action: "ask" },
  enforced: { permission: "bash", pattern: "", action: "deny" },
};
export const EMPTY_EXPECTATION: Expectation = {
  expect: "ask",
  permission: "bash",
  pattern: "",
  command: "",
  agent: "build",
  note: "",
};

/** Moves an item of the list; returns the same list if an index is out of range. */
export function moved<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const inside = (at: number) => at >= 0 && at < items.length;
  if (from === to || !inside(from) || !inside(to)) return [...items];
  const rest = items.filter((_, at) => at !== from);
  return [...rest.slice(0, to), items[from] as Item, ...rest.slice(to)];
}

export const without = <Item>(items: readonly Item[], at: number): Item[] =>
  items.filter((_, index) => index !== at);

export const replaced = <Item>(items: readonly Item[], at: number, item: Item): Item[] =>
  items.map((other, index) => (index === at ? item : other));

export const inserted = <Item>(items: readonly Item[], at: number, item: Item): Item[] => [
  ...items.slice(0, at),
  item,
  ...items.slice(at),
];

/** Compares two documents, ignoring the order of keys. */
export const sameDocument = (a: PolicyDocument, b: PolicyDocument): boolean => canonical(a) === canonical(b);

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item) =>
    item && typeof item === "object" && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

/** Lists what is missing before the document can be saved. */
export function missingParts(document: PolicyDocument): string[] {
  const rules = (list: RuleList, name: string) =>
    document[list].flatMap((rule, index) =>
      rule.permission.trim() && rule.pattern
        ? []
        : [`${name} ${index + 1} needs a permission and a pattern.`],
    );
  const expectations = document.expectations.flatMap((item, index) =>
    item.command || item.pattern ? [] : [`Expectation ${index + 1} needs a command or a pattern.`],
  );
  const loosenable = document.options.loosenable.flatMap((item, index) =>
    item.permission && item.pattern ? [] : [`Exception ${index + 1} needs a permission and a pattern.`],
  );
  return [
    ...rules("enforced", "Limit"),
    ...rules("rules", "Rule"),
    ...expectations,
    ...loosenable,
    ...sandboxProblems(document),
  ];
}

export type PlaceKind = "site" | "team" | "project";

export function kindOf(place: Policy["place"]): PlaceKind {
  if (place === "site") return "site";
  return place.startsWith("tea_") ? "team" : "project";
}
