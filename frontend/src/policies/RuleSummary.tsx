import type { Rule } from "../api/policyTypes";
import { ruleLine } from "./text";
import "./rules.css";

/** A collapsed list of rules as text. */
export function RuleSummary({ title, rules }: { title: string; rules: readonly Rule[] }) {
  return (
    <details className="rule-summary">
      <summary className="muted">{title}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll it only when it can take the focus */}
      <pre className="boxed" tabIndex={0}>
        {rules.map((rule) => ruleLine(rule, false)).join("\n")}
      </pre>
    </details>
  );
}
