// The draft of a prompt is kept in this browser until the server has the prompt.
import { readStored, writeStored } from "../lib/storage";

const key = (sessionId: string) => `draft.${sessionId}`;

export const readDraft = (sessionId: string): string => readStored(key(sessionId)) ?? "";
export const writeDraft = (sessionId: string, text: string): void =>
  writeStored(key(sessionId), text || null);
