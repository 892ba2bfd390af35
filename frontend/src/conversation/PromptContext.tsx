// State of the prompt: draft, sending, sent. The stored draft is deleted only when the server has the prompt.
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from "react";
import type { Attachment } from "../api/attachments";
import { runCommand, runShell } from "../api/commands";
import { sendPrompt } from "../api/endpoints";
import { refreshSessions } from "../app/queries";
import { useConnection } from "../store/SessionContext";
import type { SessionState } from "../store/state";
import { readDraft, writeDraft } from "./draft";
import { type FileDraft, fileDraftOf } from "./draftFiles";
import { messageText } from "./layout";
import { useCommands } from "./suggestions";
import { meaningOf, type Typed } from "./typed";

export interface PendingPrompt {
  text: string;
  files: readonly Attachment[];
}

export interface PromptState {
  draft: string;
  setDraft: (text: string) => void;
  files: FileDraft;
  /** The prompt that was sent but has no event yet; shown as the last message. */
  pending: PendingPrompt | null;
  error: unknown;
  /** What the last command said, if it started no turn. */
  notice: string;
  /** Remembers a file that was chosen from the list, so that it is read before the answer. */
  noteFile: (path: string) => void;
  /** Sends the text with the uploaded files. */
  send: (text: string) => Promise<void>;
}

/** How long to wait for the event of an accepted prompt. */
const EVENT_TIMEOUT_MS = 4_000;

const Context = createContext<PromptState | null>(null);

export function usePrompt(): PromptState {
  const prompt = useContext(Context);
  if (!prompt) throw new Error("usePrompt needs a PromptProvider");
  return prompt;
}

/** Sends what was typed. Returns what a command said. */
async function submit(sessionId: string, typed: Typed, attachments: readonly string[]): Promise<string> {
  if (typed.kind === "shell") return (await runShell(sessionId, typed.command)).text;
  if (typed.kind === "command")
    return (await runCommand(sessionId, typed.name, typed.args, attachments)).text;
  await sendPrompt(sessionId, typed.text, attachments, typed.paths);
  return "";
}

/** Counts the person's messages from `first` on whose text is exactly `words`. */
export const countUserMessages = (state: SessionState, words: string, first = ""): number =>
  Object.values(state.messages).filter(
    (message) =>
      message.role === "user" && message.id >= first && messageText(state, message.id).trim() === words,
  ).length;

export function PromptProvider({ sessionId, children }: { sessionId: string; children: ReactNode }) {
  const connection = useConnection();
  const [draft, setDraftText] = useState(() => readDraft(sessionId));
  const [pending, setPending] = useState<PendingPrompt | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [notice, setNotice] = useState("");
  const commands = useCommands(sessionId).data?.items;
  const chosen = useRef(new Set<string>());
  const files = fileDraftOf(sessionId);
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
    /**
     * After a lost answer: waits for the prompt to appear in the conversation, which proves that the server
     * has it.
     */
    const watchFor = ({ text, files: sent }: PendingPrompt) => {
      stopWatching.current();
      // Older messages with the same text may be loaded meanwhile.
      const first = connection.store.getState().older ?? "";
      const before = countUserMessages(connection.store.getState(), text, first);
      stopWatching.current = connection.store.subscribe((state) => {
        if (countUserMessages(state, text, first) === before) return;
        stopWatching.current();
        setPending(null);
        setError(null);
        files.forget(sent);
        editDraft((typed) => (typed.startsWith(text) ? typed.slice(text.length).trimStart() : typed));
      });
    };
    const send = async (text: string) => {
      const words = text.trim();
      const sent = files.take();
      if (!words && sent.length === 0) return;
      const prompt = { text: words, files: sent };
      const typed = meaningOf(words, commands?.map(({ name }) => name) ?? [], chosen.current);
      const isAction =
        typed.kind === "command" && commands?.find(({ name }) => name === typed.name)?.kind === "action";
      if (!isAction) setPending(prompt);
      setError(null);
      setNotice("");
      // What was typed meanwhile stays, if other words are sent than those of the box.
      setDraftText((typed) => {
        const rest = typed.trim() === words ? "" : typed;
        writeDraft(sessionId, [words, rest].filter(Boolean).join("\n\n"));
        return rest;
      });
      if (!isAction) watchFor(prompt);
      try {
        setNotice(
          await submit(
            sessionId,
            typed,
            sent.map(({ id }) => id),
          ),
        );
        chosen.current.clear();
        if (isAction) writeDraft(sessionId, "");
        editDraft((typed) => typed);
        refreshSessions();
        setTimeout(() => setPending((shown) => (shown === prompt ? null : shown)), EVENT_TIMEOUT_MS);
      } catch (problem) {
        setError(problem);
        editDraft((typed) => (typed ? `${words}\n\n${typed}` : words));
        files.giveBack(sent);
        setPending(null);
      }
    };
    const noteFile = (path: string) => void chosen.current.add(path);
    return { draft, setDraft, files, pending, error, notice, noteFile, send };
  }, [connection, sessionId, files, draft, pending, error, notice, commands]);

  return <Context.Provider value={value}>{children}</Context.Provider>;
}
