// The prompt on its way: draft, sending, sent. The stored draft is dropped only when the server has the prompt.
import { createContext, type ReactNode, useContext, useMemo, useRef, useState } from "react";
import { sendPrompt } from "../api/endpoints";
import { refreshSessions } from "../app/queries";
import { randomKey } from "../lib/random";
import { useConnection } from "../store/SessionContext";
import type { SessionState } from "../store/state";
import { readDraft, writeDraft } from "./draft";

export interface PromptState {
  draft: string;
  setDraft: (text: string) => void;
  /** Sent but not yet confirmed; shown as the last message until its event arrives. */
  pending: string | null;
  error: unknown;
  send: (text: string) => Promise<void>;
}

const Context = createContext<PromptState | null>(null);

export function usePrompt(): PromptState {
  const prompt = useContext(Context);
  if (!prompt) throw new Error("outside of a session page");
  return prompt;
}

export const countUserMessages = (state: SessionState): number =>
  Object.values(state.messages).filter((message) => message.role === "user").length;

export function PromptProvider({ sessionId, children }: { sessionId: string; children: ReactNode }) {
  const connection = useConnection();
  const [draft, setDraftText] = useState(() => readDraft(sessionId));
  const [pending, setPending] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const attempt = useRef({ text: "", key: "" });

  const value = useMemo<PromptState>(() => {
    const setDraft = (text: string) => {
      setDraftText(text);
      writeDraft(sessionId, text);
    };
    const hideWhenShown = () => {
      const before = countUserMessages(connection.store.getState());
      return connection.store.subscribe((state) => {
        if (countUserMessages(state) > before) setPending(null);
      });
    };
    const send = async (text: string) => {
      const words = text.trim();
      if (!words) return;
      // A second try of the same words carries the same key, so the server takes them once.
      if (attempt.current.text !== words) attempt.current = { text: words, key: randomKey() };
      setPending(words);
      setError(null);
      setDraftText("");
      writeDraft(sessionId, words);
      const stopWatching = hideWhenShown();
      try {
        await sendPrompt(sessionId, words, attempt.current.key);
        attempt.current = { text: "", key: "" };
        setDraftText((typed) => {
          writeDraft(sessionId, typed);
          return typed;
        });
        refreshSessions();
      } catch (problem) {
        setError(problem);
        setDraftText((typed) => {
          const both = typed ? `${words}\n\n${typed}` : words;
          writeDraft(sessionId, both);
          return both;
        });
      } finally {
        stopWatching();
        setPending(null);
      }
    };
    return { draft, setDraft, pending, error, send };
  }, [connection, sessionId, draft, pending, error]);

  return <Context.Provider value={value}>{children}</Context.Provider>;
}
