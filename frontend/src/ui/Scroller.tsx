import type { ReactNode, Ref } from "react";

interface ScrollerProps {
  label: string;
  className: string;
  children: ReactNode;
  ref?: Ref<HTMLElement>;
  testId?: string;
}

/** A named region that scrolls and is focusable, so that it can be scrolled with the keyboard. */
export function Scroller({ label, className, children, ref, testId }: ScrollerProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll it only when it can take the focus
    <section ref={ref} className={className} aria-label={label} data-testid={testId} tabIndex={0}>
      {children}
    </section>
  );
}
