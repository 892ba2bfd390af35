import {
  type ClipboardEvent,
  type KeyboardEvent,
  type Ref,
  type RefObject,
  useEffect,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { useStore } from "zustand";
import type { McpPrompt } from "../api/mcp";
import { useTypingInto } from "../app/keys";
import { PromptCommand } from "../mcp/PromptCommand";
import { useConnection } from "../store/SessionContext";
import { type Browsing, sentPrompts, step } from "./history";
import { MentionList, useMentions } from "./MentionList";
import type { Edited } from "./mentions";
import { usePrompt } from "./PromptContext";
import { suggestedStore, takeSuggested } from "./suggested";
import "./Prompt.css";

interface PromptTextProps {
  ref: Ref<HTMLTextAreaElement>;
  sessionId: string;
  busy: boolean;
  onSubmit: () => void;
}

/** The text area of the prompt, with suggestions behind "/" and "@", and pasted files. */
export function PromptText({ ref, sessionId, busy, onSubmit }: PromptTextProps) {
  const { draft, setDraft, files, noteFile } = usePrompt();
  const box = useRef<HTMLTextAreaElement>(null);
  const listId = useId();
  const [caret, setCaret] = useState(draft.length);
  useImperativeHandle(ref, () => box.current as HTMLTextAreaElement);
  useTypingInto(box);
  useFocusOnOpening(box, sessionId);
  useGrowing(box, draft);
  const caretAfter = useRef<number | null>(null);
  useLayoutEffect(() => {
    const at = caretAfter.current;
    caretAfter.current = null; // before the next key writes
    if (at !== null) box.current?.setSelectionRange(at, at);
  });
  const put = (edited: Edited) => {
    setDraft(edited.text);
    setCaret(edited.caret);
    caretAfter.current = edited.caret;
  };
  useSuggested(sessionId, box, put);
  const [command, setCommand] = useState<McpPrompt | null>(null);
  const mentions = useMentions(sessionId, draft, caret, put, ({ kind, name, prompt }) => {
    if (kind === "file") noteFile(name);
    if (prompt) setCommand(prompt);
  });
  const recall = useRecall(draft, put);
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (recall(event) || mentions.onKey(event.key)) return event.preventDefault();
    if (event.key === "Escape") box.current?.blur();
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    onSubmit();
  };
  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const pasted = [...event.clipboardData.files];
    if (pasted.length === 0) return;
    event.preventDefault();
    files.add(pasted);
  };
  const showCaret = () => setCaret(box.current?.selectionStart ?? 0);
  const active = mentions.active;
  return (
    <div className="prompt-text">
      <MentionList id={listId} mentions={mentions} />
      <textarea
        ref={box}
        rows={1}
        aria-label="Prompt"
        aria-autocomplete="list"
        aria-controls={mentions.isOpen ? listId : undefined}
        aria-activedescendant={active ? `${listId}-${active}` : undefined}
        placeholder={busy ? "Add a prompt while the agent works" : "Ask for a change: / commands, @ files"}
        value={draft}
        onChange={(event) => {
          setDraft(event.target.value);
          setCaret(event.target.selectionStart);
        }}
        onSelect={showCaret}
        onBlur={mentions.close}
        onKeyDown={onKey}
        onPaste={onPaste}
      />
      {command && (
        <PromptCommand
          sessionId={sessionId}
          prompt={command}
          onClose={() => setCommand(null)}
          onText={(text) => {
            setCommand(null);
            put({ text, caret: text.length });
            box.current?.focus();
          }}
        />
      )}
    </div>
  );
}

/**
 * Returns a handler of keys with which ArrowUp in an empty prompt brings back earlier prompts of the session, and
 * ArrowDown later ones; true if it used the key.
 */
function useRecall(draft: string, put: (edited: Edited) => void) {
  const connection = useConnection();
  const browsing = useRef<Browsing | null>(null);
  return ({ key, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean => {
    if ((key !== "ArrowUp" && key !== "ArrowDown") || altKey || ctrlKey || metaKey || shiftKey) return false;
    const sent = sentPrompts(connection.store.getState());
    const shown = step(sent, draft, browsing.current, key === "ArrowUp" ? -1 : 1);
    if (!shown) return false;
    browsing.current = shown.browsing;
    put({ text: shown.text, caret: shown.text.length });
    return true;
  };
}

/** Puts a text into the prompt that another part of the page suggests, such as the command palette. */
function useSuggested(
  sessionId: string,
  box: RefObject<HTMLTextAreaElement | null>,
  put: (edited: Edited) => void,
) {
  const waiting = useStore(suggestedStore, (state) => state.waiting);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each text
  useEffect(() => {
    const text = waiting && takeSuggested(sessionId);
    if (!text) return;
    put({ text, caret: text.length });
    box.current?.focus();
  }, [waiting, sessionId]);
}

/**
 * Focuses the text area when a session is opened: who then types writes a prompt. Not on touch screens, where a keyboard
 * would cover the conversation, and not if a link leads to a request.
 */
function useFocusOnOpening(box: RefObject<HTMLTextAreaElement | null>, sessionId: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each session
  useEffect(() => {
    const touch = window.matchMedia?.("(pointer: coarse)").matches;
    if (!touch && !window.location.hash) box.current?.focus({ preventScroll: true });
  }, [sessionId]);
}

/** Makes the text area as high as its text, up to the limit of the style sheet. */
function useGrowing(box: RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useEffect(() => {
    const area = box.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight}px`;
  }, [text]);
}
