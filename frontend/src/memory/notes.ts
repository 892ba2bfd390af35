// The size and the shown text of notes in the list of a project's memory. Pure functions.
import type { MemoryNote } from "../api/memory";

/** The limit of all notes together, as in sessions_app/memory/rules.py. */
export const MAX_TOTAL_BYTES = 16_384;
const MAX_SHOWN_CHARACTERS = 80;

const encoder = new TextEncoder();

/** Returns how many bytes the notes take together. */
export const usedBytes = (notes: readonly Pick<MemoryNote, "text">[]): number =>
  notes.reduce((sum, note) => sum + encoder.encode(note.text).length, 0);

/** Returns the beginning of a note for its row. */
export function firstLine(text: string): string {
  const [first = "", ...more] = text.split("\n");
  return more.length > 0 || first.length > MAX_SHOWN_CHARACTERS
    ? `${first.slice(0, MAX_SHOWN_CHARACTERS)}…`
    : first;
}
