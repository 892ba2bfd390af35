// The focus follows a row that was moved, and stays near one that is gone.
export type Cell = "action" | "permission" | "pattern" | "up" | "down" | "delete";

/** Once the page has drawn the change. Without such a row, or where the control is off, the next best takes it. */
export function focusCell(box: HTMLElement | null, index: number, cell: Cell): void {
  requestAnimationFrame(() => {
    const row = box?.querySelector(`[data-index="${index}"]`);
    const wanted = row?.querySelector<HTMLElement>(`[data-cell="${cell}"]:not([disabled])`);
    const other = row?.querySelector<HTMLElement>('[data-cell="pattern"]:not([disabled])');
    (wanted ?? other ?? box?.querySelector<HTMLElement>("[data-add]"))?.focus();
  });
}
