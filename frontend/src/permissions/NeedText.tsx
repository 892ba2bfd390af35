import type { ReactNode } from "react";

/** A text of any length in a permission card, which scrolls in place if it is long. */
export function NeedText({ className = "", children }: { className?: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll it only when it can take the focus
    <p className={`need-prompt break-anywhere ruled-top pre-wrap ${className}`} tabIndex={0}>
      {children}
    </p>
  );
}
