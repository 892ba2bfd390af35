import { type RefObject, useEffect, useRef } from "react";

/** Gives an element the focus when its form closes, so that the keyboard goes on where it was and not at the top. */
export function useFocusBack<Element extends HTMLElement = HTMLElement>(
  isOpen: boolean,
): RefObject<Element | null> {
  const section = useRef<Element>(null);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (wasOpen.current && !isOpen && document.activeElement === document.body) section.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return section;
}
