import { type RefObject, useEffect, useRef } from "react";

/** Whether what had the focus is gone, so that the keyboard would begin at the top of the page. */
export const isFocusLost = (): boolean => document.activeElement === document.body;

/** Gives an element the focus if it is lost when the element appears, or when `changed` changes. */
export function useFocusIfLost<Element extends HTMLElement>(changed?: unknown): RefObject<Element | null> {
  const element = useRef<Element>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what had the focus may have gone with the change
  useEffect(() => {
    if (isFocusLost()) element.current?.focus({ preventScroll: true });
  }, [changed]);
  return element;
}
