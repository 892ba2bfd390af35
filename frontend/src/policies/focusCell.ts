// Keeps the focus on a row that was moved, or next to one that was deleted.
export type Cell = "action" | "permission" | "pattern" | "up" | "down" | "delete";

/**
 * Focuses a cell after the next render. If the row or an enabled control is missing, focuses the closest one.
 */
export function focusCell(box: HTMLElement | null, index: number, cell: Cell): void {
  requestAnimationFrame(() => {
    const row = box?.querySelector(`[data-index="${index}"]`);
    const wanted = row?.querySelector<HTMLElement>(`[data-cell="${cell}"]:not([disabled])`);
    const other = row?.querySelector<HTMLElement>('[data-cell="pattern"]:not([disabled])');
    (wanted ?? other ?? box?.querySelector<HTMLElement>("[data-add]"))?.focus();
  });
}
