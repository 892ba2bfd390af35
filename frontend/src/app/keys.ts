// Keyboard shortcuts. Single keys act only while the person is not typing.
import { useEffect, useRef } from "react";

export interface KeyHelp {
  keys: string;
  does: string;
}

export const KEY_HELP: readonly KeyHelp[] = [
  { keys: "Ctrl K", does: "Open the command palette" },
  { keys: "/", does: "Go to the prompt box" },
  { keys: "n", does: "New session in this workspace" },
  { keys: "a", does: "Allow the waiting tool call once" },
  { keys: "Shift A", does: "Always allow, in the scope shown" },
  { keys: "r", does: "Reject the waiting tool call" },
  { keys: "1 – 9", does: "Choose an answer to the waiting question; Enter sends it" },
  { keys: "@", does: "In the prompt: call an agent" },
  { keys: "Enter", does: "Send the prompt" },
  { keys: "Shift Enter", does: "New line in the prompt" },
  { keys: "Esc", does: "Leave the prompt box or close a panel" },
  { keys: "[", does: "Show or hide the session list" },
  { keys: "]", does: "Show or hide changes, todos and rules" },
  { keys: "Alt ↑ ↓", does: "Move the focused rule on a policy page" },
  { keys: "?", does: "Show keyboard shortcuts" },
];

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

const dialogIsOpen = () => document.querySelector("dialog[open]") !== null;

/**
 * Runs actions by event.key ("a", "A", "?"), except while the person types, in dialogs or with modifier keys.
 */
export function useKeys(bindings: Readonly<Record<string, (() => void) | undefined>>): void {
  const current = useRef(bindings);
  current.current = bindings;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || dialogIsOpen()) return;
      const action = current.current[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
