import { memo, useEffect, useState } from "react";
import { TerminalText } from "../tools/TerminalText";
import { Icon } from "../ui/Icon";
import { PaintedText } from "../ui/PaintedText";
import { Scroller } from "../ui/Scroller";

export const CodeBlock = memo(function CodeBlock({ code, language }: { code: string; language: string }) {
  return (
    <figure className="code">
      <figcaption>
        <span>{language || "text"}</span>
        <CopyButton text={code} />
      </figcaption>
      <Scroller className="code-scroll" label="Code">
        <pre>
          <code>
            {code.includes("\u001b[") ? (
              <TerminalText output={code} />
            ) : (
              <PaintedText text={code} source={code} kind={language} />
            )}
          </code>
        </pre>
      </Scroller>
    </figure>
  );
});

/** Copies a text. `label` is what screen readers hear, where "Copy" does not say enough. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1600);
    return () => clearTimeout(timer);
  }, [copied]);
  if (!navigator.clipboard) return null;
  return (
    <button
      type="button"
      className="copy inline gap-4 muted"
      aria-label={label && (copied ? "Copied" : label)}
      onClick={() =>
        navigator.clipboard.writeText(text).then(
          () => setCopied(true),
          () => setCopied(false),
        )
      }
    >
      <Icon name={copied ? "check" : "copy"} size={14} />
      <span aria-live="polite">{copied ? "Copied" : "Copy"}</span>
    </button>
  );
}
