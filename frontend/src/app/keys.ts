// Keyboard shortcuts. Those that act from anywhere need Alt, so that typing never does more than write.
import { type RefObject, useEffect, useRef } from "react";

export interface KeyHelp {
  keys: string;
  does: string;
}

export const KEY_HELP: readonly KeyHelp[] = [
  { keys: "Ctrl K", does: "Open the command palette" },
  { keys: "A – Z", does: "Write in the prompt box, wherever the focus is" },
  { keys: "@  /  !", does: "In the prompt: a file or agent, a command, a shell command of yours" },
  { keys: "↑", does: "In an empty prompt: earlier prompts of the session" },
  { keys: "Enter", does: "Send the prompt" },
  { keys: "Shift Enter", does: "New line in the prompt" },
  { keys: "Esc", does: "Leave the prompt box or close a panel" },
  { keys: "Alt A", does: "Allow the waiting tool call once" },
  { keys: "Alt R", does: "Reject the waiting tool call" },
  { keys: "Alt W", does: "Go to what waits for you in this session" },
  { keys: "Alt J  Alt K", does: "Go to the next or the previous prompt" },
  { keys: "Alt E", does: "Go to the next call that failed" },
  { keys: "Alt Q", does: "Change your last prompt that waits for the agent" },
  { keys: "1 – 9", does: "In a question: choose an answer; Enter sends it" },
  { keys: "Alt N", does: "New task" },
  { keys: "Alt S", does: "Go to the list of sessions; ↑ and ↓ move in it" },
  { keys: "Alt I", does: "Open the inbox" },
  { keys: "Alt L", does: "Show or hide the sidebar" },
  { keys: "Alt P", does: "Show or hide the diff, files and details" },
  { keys: "Alt ↑ ↓", does: "Move the focused rule on a policy page" },
  { keys: "↑ ↓ ← →", does: "In a review: move by line, or to the other side; with Shift, mark lines" },
  { keys: "Alt ↑ ↓", does: "In a review: previous or next change" },
  { keys: "Alt PgUp PgDn", does: "In a review: previous or next file" },
  { keys: "Enter", does: "In a review: comment on the marked lines, or open and close a file" },
  { keys: "Alt V", does: "In a review: approve the file, or withdraw the approval" },
  { keys: "Alt H", does: "Show keyboard shortcuts" },
];

const TEXT_FIELDS =
  "textarea, select, input:not([type=checkbox], [type=radio], [type=button], [type=submit])";
const OWN_LETTERS = "[role=menu], [role=listbox]";

/** Whether a key pressed here writes text, or finds an item of a menu or list by its letters. Looks into shadow roots. */
function takesLetters(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0] ?? event.target;
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches(TEXT_FIELDS) || target.closest(OWN_LETTERS) !== null;
}

const dialogIsOpen = () => document.querySelector("dialog[open]") !== null;

function useWindowKeys(onKey: (event: KeyboardEvent) => void): void {
  const current = useRef(onKey);
  current.current = onKey;
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || dialogIsOpen()) return;
      current.current(event);
    };
    window.addEventListener("keydown", listener);
    return () => window.removeEventListener("keydown", listener);
  }, []);
}

/**
 * Runs actions by the letter that is pressed with Alt, except in dialogs. The letter is that of the key's place on an
 * English keyboard, because Alt changes what a key writes on some systems.
 */
export function useAltKeys(bindings: Readonly<Record<string, (() => void) | undefined>>): void {
  useWindowKeys((event) => {
    const letter = /^Key([A-Z])$/.exec(event.code)?.[1]?.toLowerCase() ?? "";
    const action = event.altKey && !event.repeat ? bindings[letter] : undefined;
    if (!action) return;
    event.preventDefault();
    action();
  });
}

/** Runs an action with the digit 1 to 9 that is pressed on an element inside `selector`, but not in a text field. */
export function useDigits(selector: string, action: (digit: number) => void): void {
  useWindowKeys((event) => {
    if (event.altKey || !/^[1-9]$/.test(event.key) || takesLetters(event)) return;
    if (!(event.target instanceof Element) || !event.target.closest(selector)) return;
    event.preventDefault();
    action(Number(event.key));
  });
}

/** Moves the focus to the text area when somebody begins to type where no text is taken. The key then writes there. */
export function useTypingInto(box: RefObject<HTMLTextAreaElement | null>): void {
  useWindowKeys((event) => {
    if (event.altKey || event.key.length !== 1 || event.key === " " || takesLetters(event)) return;
    box.current?.focus();
  });
}
