import type { KeyboardEvent } from "react";

const STEPS: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at, count) => (at + 1) % count,
  ArrowUp: (at, count) => (at - 1 + count) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** Moves the focus between the elements that match the selector with arrow keys, Home and End. */
export function moveWithArrows(event: KeyboardEvent<HTMLElement>, things: string): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>(things)];
  const step = STEPS[event.key];
  if (!step || items.length === 0) return;
  event.preventDefault();
  items[step(items.indexOf(document.activeElement as HTMLElement), items.length)]?.focus();
}
