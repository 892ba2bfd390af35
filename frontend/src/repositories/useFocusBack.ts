import { type RefObject, useEffect, useRef } from "react";

/** Gives a section the focus when its form closes, so that the keyboard goes on where it was and not at the top. */
export function useFocusBack(isOpen: boolean): RefObject<HTMLElement | null> {
  const section = useRef<HTMLElement>(null);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (wasOpen.current && !isOpen && document.activeElement === document.body) section.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return section;
}
