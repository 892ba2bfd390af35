import { useEffect, useId, useRef, useState } from "react";
import type { PolicyDocument } from "../api/policyTypes";
import { plural } from "../lib/format";
import { parseRules, rulesText, type TextError } from "./text";
import "./rules.css";

interface TextViewProps {
  document: PolicyDocument;
  onChange: (change: Pick<PolicyDocument, "rules" | "enforced">) => void;
  readOnly: boolean;
}

/**
 * The rules as text. Lines that cannot be parsed are reported, and the draft changes only when all lines can.
 */
export function TextView({ document, onChange, readOnly }: TextViewProps) {
  const [text, setText] = useState(() => rulesText(document));
  const [errors, setErrors] = useState<TextError[]>([]);
  const errorsId = useId();
  useExternalChange(document, text, (fresh) => {
    setText(fresh);
    setErrors([]);
  });
  const write = (next: string) => {
    setText(next);
    const { rules, enforced, errors: found } = parseRules(next);
    setErrors(found);
    if (found.length === 0) onChange({ rules, enforced });
  };
  const lines = text.split("\n").length;
  return (
    <div className="text-view">
      <p className="muted" id={`${errorsId}-hint`}>
        One rule per line: <code>action permission pattern</code>. A <code>!</code> in front makes it a limit.
        Lines that start with <code>#</code> are comments and are not saved.
      </p>
      <div className="text-frame">
        <LineNumbers count={Math.max(lines, 8)} errors={errors} />
        <textarea
          className="mono grow"
          aria-label="Rules as text"
          aria-describedby={`${errorsId}-hint ${errorsId}`}
          aria-invalid={errors.length > 0}
          rows={Math.max(lines, 8)}
          wrap="off"
          spellCheck={false}
          value={text}
          readOnly={readOnly}
          onChange={(event) => write(event.target.value)}
        />
      </div>
      <div id={errorsId} role="status">
        {errors.length > 0 && (
          <>
            <p className="text-problem text-failed">
              {plural(errors.length, "line")} cannot be parsed. The draft is unchanged.
            </p>
            <ul className="text-errors text-failed">
              {errors.map((error) => (
                <li key={error.line}>
                  Line {error.line}: {error.message}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </div>
  );
}

/** Replaces the text when the rules change elsewhere, such as when the draft is discarded. */
function useExternalChange(document: PolicyDocument, text: string, onFresh: (text: string) => void): void {
  const rules = rulesText(document);
  const before = useRef(rules);
  useEffect(() => {
    if (before.current === rules) return;
    before.current = rules;
    if (rules !== rulesText(parseRules(text))) onFresh(rules);
  });
}

function LineNumbers({ count, errors }: { count: number; errors: TextError[] }) {
  const bad = new Set(errors.map((error) => error.line));
  return (
    <div className="line-numbers mono small vertical no-shrink text-faint number" aria-hidden="true">
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line number is its place
        <span key={index} className={bad.has(index + 1) ? "bad" : ""}>
          {index + 1}
        </span>
      ))}
    </div>
  );
}
