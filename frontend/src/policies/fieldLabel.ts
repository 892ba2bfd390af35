import { limitLabel } from "./sandbox";

const LIST_LABELS: Readonly<Record<string, string>> = {
  rules: "Rule",
  enforced: "Limit",
  expectations: "Expectation",
  "options.loosenable": "Exception",
};

/** Labels a field of an error: "document.expectations.3.pattern" as "Expectation 4, pattern". */
export function fieldLabel(field: string): string {
  const path = field.replace(/^(?:body\.)?(?:payload\.)?document\./, "");
  const limit = /^options\.sandbox\.(\w+)$/.exec(path)?.[1];
  if (limit) return `Sandbox, ${limitLabel(limit)}`;
  const found = /^(rules|enforced|expectations|options\.loosenable)\.(\d+)(?:\.(.+))?$/.exec(path);
  if (!found) return path || "The policy";
  const [, list = "", index, rest] = found;
  return `${LIST_LABELS[list]} ${Number(index) + 1}${rest ? `, ${rest}` : ""}`;
}
