// Finds the words of a changed line that differ from the other version of the line.
import { diffWordsWithSpace } from "diff";

export interface Piece {
  text: string;
  changed: boolean;
}

const MAX_CHARACTERS = 1_000;
const LEAST_COMMON = 0.3;

/** Returns the pieces of `text`; one unmarked piece if most of both texts differs, or they are long. */
export function markWords(text: string, other: string | null): Piece[] {
  const whole = [{ text, changed: false }];
  if (other === null || other === text || text.length + other.length > MAX_CHARACTERS) return whole;
  const pieces: Piece[] = [];
  let common = 0;
  for (const change of diffWordsWithSpace(other, text)) {
    if (change.removed) continue;
    if (!change.added) common += change.value.trim().length;
    pieces.push({ text: change.value, changed: change.added });
  }
  return common >= LEAST_COMMON * Math.max(text.trim().length, other.trim().length) ? pieces : whole;
}
