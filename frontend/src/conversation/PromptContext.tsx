// The prompt on its way: draft, sending, sent. The stored draft is dropped only when the server has the prompt.
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from "react";
import { sendPrompt } from "../api/endpoints";
import { refreshSessions } from "../app/queries";
import { useConnection } from "../store/SessionContext";
import type { SessionState } from "../store/state";
import { readDraft, writeDraft } from "./draft";
import { messageText } from "./layout";

export interface PromptState {
  draft: string;
  setDraft: (text: string) => void;
  /** Sent but not yet confirmed; shown as the last message until its event arrives. */
  pending: string | null;
  error: unknown;
  send: (text: string) => Promise<void>;
}

/** The event that shows a taken prompt comes at once, or with the next connection. */
const EVENT_WITHIN = 4_000;

const Context = createContext<PromptState | null>(null);

export function usePrompt(): PromptState {
  const prompt = useContext(Context);
  if (!prompt) throw new Error("outside of a session page");
  return prompt;
}

/** How many of the person's messages say exactly `words`. */
export const countUserMessages = (state: SessionState, words: string): number =>
  Object.values(state.messages).filter(
    (message) => message.role === "user" && messageText(state, message.id).trim() === words,
  ).length;

export function PromptProvider({ sessionId, children }: { sessionId: string; children: ReactNode }) {
  const connection = useConnection();
  const [draft, setDraftText] = useState(() => readDraft(sessionId));
  const [pending, setPending] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const stopWatching = useRef(() => {});
  useEffect(() => () => stopWatching.current(), []);

  const value = useMemo<PromptState>(() => {
    const setDraft = (text: string) => {
      setDraftText(text);
      writeDraft(sessionId, text);
    };
    const editDraft = (edit: (typed: string) => string) =>
      setDraftText((typed) => {
        const next = edit(typed);
        writeDraft(sessionId, next);
        return next;
      });
    /** The server may have the prompt although its answer got lost: the conversation itself tells. */
    const watchFor = (words: string) => {
      stopWatching.current();
      const before = countUserMessages(connection.store.getState(), words);
      stopWatching.current = connection.store.subscribe((state) => {
        if (countUserMessages(state, words) === before) return;
        stopWatching.current();
        setPending(null);
        setError(null);
        editDraft((typed) => (typed.startsWith(words) ? typed.slice(words.length).trimStart() : typed));
      });
    };
    const send = async (text: string) => {
      const words = text.trim();
      if (!words) return;
      setPending(words);
      setError(null);
      setDraftText("");
      writeDraft(sessionId, words);
      watchFor(words);
      try {
        await sendPrompt(sessionId, words);
        editDraft((typed) => typed);
        refreshSessions();
        setTimeout(() => setPending((shown) => (shown === words ? null : shown)), EVENT_WITHIN);
      } catch (problem) {
        setError(problem);
        editDraft((typed) => (typed ? `${words}\n\n${typed}` : words));
        setPending(null);
      }
    };
    return { draft, setDraft, pending, error, send };
  }, [connection, sessionId, draft, pending, error]);

  return <Context.Provider value={value}>{children}</Context.Provider>;
}
