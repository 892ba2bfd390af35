import type { ReactNode } from "react";

/** A cell of the grid, which is no table because rows out of view are left out. Its row has the cursor. */
export function Cell({
  className,
  testId,
  children,
}: {
  className: string;
  testId?: string;
  children?: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot leave out rows
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus, and names the active row
    <div role="gridcell" className={className} data-testid={testId}>
      {children}
    </div>
  );
}
