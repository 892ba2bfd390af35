import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { useConnection, useLive } from "../store/SessionContext";

const ROW = ".turn > *";
const STEP_PIXELS = 24;

interface Place {
  row: Element;
  top: number;
}

/** Returns the rows in view with their positions, found by what is drawn there: measuring all rows is slow. */
function rowsInView(box: HTMLElement): Place[] {
  const { left, top, width, height } = box.getBoundingClientRect();
  const found = new Map<Element, Place>();
  for (let y = top + 1; y < top + height; y += STEP_PIXELS) {
    const row = document.elementFromPoint(left + width / 2, y)?.closest(ROW);
    if (row && box.contains(row) && !found.has(row)) {
      found.set(row, { row, top: row.getBoundingClientRect().top });
    }
  }
  return [...found.values()];
}

/**
 * Keeps what the person reads where it is when older messages are added above. Browsers do so themselves,
 * except at the very top and in Safari.
 */
export function useKeepPlace(box: RefObject<HTMLElement | null>): void {
  const { store } = useConnection();
  const older = useLive((state) => state.older);
  const places = useRef<Place[]>([]);
  useEffect(
    () =>
      // Called before React renders the new state.
      store.subscribe((state, before) => {
        if (state.older !== before.older && box.current) places.current = rowsInView(box.current);
      }),
    [store, box],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each page that was added
  useLayoutEffect(() => {
    const kept = places.current.find(({ row }) => row.isConnected);
    places.current = [];
    if (kept && box.current) box.current.scrollTop += kept.row.getBoundingClientRect().top - kept.top;
  }, [older, box]);
}

/**
 * Scrolls to the very start on Home. The browser's own scrolling ends too early, because turns become higher
 * while they come into view.
 */
export function useHomeKey(box: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const frame = box.current;
    if (!frame) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Home" || event.target !== frame || event.shiftKey || event.ctrlKey) return;
      event.preventDefault();
      frame.scrollTop = 0;
    };
    frame.addEventListener("keydown", onKey);
    return () => frame.removeEventListener("keydown", onKey);
  }, [box]);
}
