import { useState } from "react";
import type { Rule } from "../api/policyTypes";
import { plural } from "../lib/format";
import { ruleLine } from "./text";
import "./rules.css";

const MANY_RULES = 20;

/** A collapsed list of rules as text. A long one can be searched. */
export function RuleSummary({ title, rules }: { title: string; rules: readonly Rule[] }) {
  const [search, setSearch] = useState("");
  const lines = rules.map((rule) => ruleLine(rule, false));
  const shown = matching(lines, search);
  return (
    <details className="rule-summary">
      <summary className="muted">{title}</summary>
      {lines.length > MANY_RULES && (
        <div className="line gap-8 rule-search">
          <input
            type="search"
            aria-label={`Search the ${title}`}
            placeholder="Search rules, such as git push"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
          <span className="small muted" role="status">
            {search.trim() && plural(shown.length, "match", "matches")}
          </span>
        </div>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll it only when it can take the focus */}
      <pre className="boxed" tabIndex={0}>
        {shown.join("\n") || "No rule contains these words."}
      </pre>
    </details>
  );
}

/** Returns the lines that contain all words, whatever their case. */
export function matching(lines: readonly string[], search: string): string[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return lines.filter((line) => words.every((word) => line.toLowerCase().includes(word)));
}
