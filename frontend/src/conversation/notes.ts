// Where the words about the workspace stand: inside the turn that went on then, or after the turn before.
import type { WorkspaceNote } from "../api/types";
import { type ById, byTime, type SessionState } from "../store/state";

export interface NotePlaces {
  /** What was said while the turn went on, oldest first. */
  within: Readonly<Record<string, readonly WorkspaceNote[]>>;
  /** What was said after it and before the next; under "" what was said before the first. */
  after: Readonly<Record<string, readonly WorkspaceNote[]>>;
}

type Told = Pick<SessionState, "notes" | "turns" | "turnIds">;

let last: { told: Told; places: NotePlaces } | undefined;

/** Computed anew only when a note or a turn has changed: it is asked for with every piece of streamed text. */
export function placeNotes({ notes, turns, turnIds }: Told): NotePlaces {
  if (last && last.told.notes === notes && last.told.turns === turns && last.told.turnIds === turnIds) {
    return last.places;
  }
  const places = computePlaces(notes, turns, turnIds);
  last = { told: { notes, turns, turnIds }, places };
  return places;
}

function computePlaces(
  notes: ById<WorkspaceNote>,
  turns: SessionState["turns"],
  turnIds: readonly string[],
): NotePlaces {
  const within: Record<string, WorkspaceNote[]> = {};
  const after: Record<string, WorkspaceNote[]> = {};
  const add = (where: Record<string, WorkspaceNote[]>, turnId: string, note: WorkspaceNote) => {
    const there = where[turnId] ?? [];
    there.push(note);
    where[turnId] = there;
  };
  for (const note of Object.values(notes).sort(byTime)) {
    const begun = turnIds.filter((id) => (turns[id]?.created_at ?? "") <= note.created_at);
    const going = begun.find((id) => (turns[id]?.ended_at ?? note.created_at) >= note.created_at);
    if (going) add(within, going, note);
    else add(after, begun[begun.length - 1] ?? "", note);
  }
  return { within, after };
}

/** A row of a turn with the call it shows, if any, and the time from which it can stand there. */
export interface Row {
  key: string;
  calls: readonly string[];
  time: string;
}

const NONE: readonly WorkspaceNote[] = [];

/** The rows' keys with "note:<id>" among them: below the call that it is about, else below what was there by then. */
export function withNotes(rows: readonly Row[], notes: readonly WorkspaceNote[] = NONE): string[] {
  if (notes.length === 0) return rows.map((row) => row.key);
  const below: string[][] = rows.map(() => []);
  const first: string[] = [];
  for (const note of notes) {
    const at = rowOf(rows, note);
    (below[at] ?? first).push(`note:${note.id}`);
  }
  return [...first, ...rows.flatMap((row, index) => [row.key, ...(below[index] ?? [])])];
}

function rowOf(rows: readonly Row[], note: WorkspaceNote): number {
  const own = note.call_id ? rows.findIndex((row) => row.calls.includes(note.call_id)) : -1;
  return own >= 0 ? own : rows.findLastIndex((row) => row.time <= note.created_at);
}
