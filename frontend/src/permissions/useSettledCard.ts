import { useEffect, useState } from "react";

const SETTLING_MS = 500;

let typedAt = Number.NEGATIVE_INFINITY;
window.addEventListener("keydown", () => (typedAt = performance.now()), { capture: true });

/**
 * Whether a card may be answered. A card that appears while somebody types cannot be answered for half a second, so that
 * a key meant for something else decides nothing.
 */
export function useSettledCard(): boolean {
  const [settled, setSettled] = useState(() => performance.now() - typedAt >= SETTLING_MS);
  useEffect(() => {
    if (settled) return;
    const timer = setTimeout(() => setSettled(true), SETTLING_MS);
    return () => clearTimeout(timer);
  }, [settled]);
  return settled;
}
