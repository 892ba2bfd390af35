// Arrow keys in a tree: up and down move, right opens a folder, left closes it or goes to the folder above.
import type { KeyboardEvent } from "react";

export function moveInTree(event: KeyboardEvent, tree: HTMLElement | null): void {
  const current = document.activeElement;
  if (!tree || !(current instanceof HTMLElement) || !current.dataset.path) return;
  const items = [...tree.querySelectorAll<HTMLElement>("[data-path]:not(:disabled)")];
  const index = items.indexOf(current);
  const level = Number(current.dataset.depth);
  const above = () => items.slice(0, index).findLast((item) => Number(item.dataset.depth) < level);
  const expanded = current.getAttribute("aria-expanded");
  switch (event.key) {
    case "ArrowDown":
      items[index + 1]?.focus();
      break;
    case "ArrowUp":
      items[index - 1]?.focus();
      break;
    case "Home":
      items[0]?.focus();
      break;
    case "End":
      items.at(-1)?.focus();
      break;
    case "ArrowRight":
      if (expanded === "false") current.click();
      else if (expanded === "true") items[index + 1]?.focus();
      break;
    case "ArrowLeft":
      if (expanded === "true") current.click();
      else above()?.focus();
      break;
    default:
      return;
  }
  event.preventDefault();
}
