// A prompt is kept in this browser from the first letter until the server has it.
import { readStored, writeStored } from "../lib/storage";

const key = (sessionId: string) => `draft.${sessionId}`;

export const readDraft = (sessionId: string): string => readStored(key(sessionId)) ?? "";
export const writeDraft = (sessionId: string, text: string): void =>
  writeStored(key(sessionId), text || null);
