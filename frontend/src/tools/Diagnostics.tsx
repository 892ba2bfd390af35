import { plural } from "../lib/format";
import { visibleLine } from "../lib/visible";
import { Icon, type IconName } from "../ui/Icon";
import type { Diagnostic, Severity } from "./facts";
import "./views.css";

const SEVERITY_LABELS: Record<Severity, { icon: IconName; word: string; words: string }> = {
  error: { icon: "close", word: "error", words: "errors" },
  warning: { icon: "warning", word: "warning", words: "warnings" },
  information: { icon: "info", word: "note", words: "notes" },
  hint: { icon: "info", word: "hint", words: "hints" },
};

/** Counts diagnostics: "2 errors, 1 warning". */
export function diagnosticsLine(found: readonly Diagnostic[]): string {
  return (Object.keys(SEVERITY_LABELS) as Severity[])
    .map((severity) => {
      const count = found.filter((item) => item.severity === severity).length;
      return count > 0 ? plural(count, SEVERITY_LABELS[severity].word, SEVERITY_LABELS[severity].words) : "";
    })
    .filter(Boolean)
    .join(", ");
}

/** Diagnostics of the language servers after a change; the model gets the same. */
export function Diagnostics({ found }: { found: readonly Diagnostic[] }) {
  if (found.length === 0) return null;
  return (
    <section className="diagnostics small" aria-label="Diagnostics" data-testid="diagnostics">
      <p className="semibold">{diagnosticsLine(found)} after the change</p>
      <ul>
        {found.map((item) => (
          <li
            key={`${item.path}:${item.line}:${item.column} ${item.message}`}
            className={`diagnostic flex break-anywhere diagnostic-${item.severity}`}
          >
            <Icon name={SEVERITY_LABELS[item.severity].icon} size={14} />
            <span>
              <span className="sr-only">{SEVERITY_LABELS[item.severity].word}: </span>
              <code>
                {item.path}:{item.line}:{item.column}
              </code>{" "}
              {visibleLine(item.message)} {item.source && <span className="muted">{item.source}</span>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
