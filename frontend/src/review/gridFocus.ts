import { useEffect } from "react";
import { isFocusLost } from "../ui/useFocusIfLost";

/** Moves the focus to the rows of the review. */
export const focusGrid = (): void =>
  document.querySelector<HTMLElement>("[data-testid=review-grid]")?.focus({ preventScroll: true });

/** Moves the focus to the rows if what had it is gone. */
export const focusGridIfLost = (): void =>
  void requestAnimationFrame(() => {
    if (isFocusLost()) focusGrid();
  });

/** Gives the rows the focus when a form that had it has gone: its comment was saved, or is written no more. */
export const useGridAfterwards = (): void => useEffect(() => focusGridIfLost, []);
