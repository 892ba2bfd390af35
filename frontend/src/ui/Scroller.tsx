import type { ReactNode, Ref } from "react";

interface ScrollerProps {
  label: string;
  className: string;
  children: ReactNode;
  ref?: Ref<HTMLElement>;
  testId?: string;
  /** Whether screen readers list it among the parts of the page; there must be only one of its name. */
  isLandmark?: boolean;
}

/** A named element that scrolls and is focusable, so that it can be scrolled with the keyboard. */
export function Scroller({ label, className, children, ref, testId, isLandmark = false }: ScrollerProps) {
  return (
    <section
      ref={ref}
      role={isLandmark ? "region" : "group"}
      className={className}
      aria-label={label}
      data-testid={testId}
      tabIndex={0}
    >
      {children}
    </section>
  );
}
