// Positions of workspace notes: inside the turn that ran at that time, or after the turn before.
import type { WorkspaceNote } from "../api/types";
import { shownTurnIds } from "../store/shown";
import { type ById, byTime, type SessionState } from "../store/state";

export interface NotePositions {
  /** Notes from while the turn ran, oldest first. */
  within: Readonly<Record<string, readonly WorkspaceNote[]>>;
  /** Notes between the turn and the next; the key "" has notes from before the first turn. */
  after: Readonly<Record<string, readonly WorkspaceNote[]>>;
}

type NotesInput = Pick<SessionState, "notes" | "turns" | "turnIds" | "alternatives">;

let last: (Pick<SessionState, "notes" | "turns" | "turnIds"> & { places: NotePositions }) | undefined;

/** Memoised, because it is called with every piece of streamed text and changes only with notes and turns. */
export function placeNotes(state: NotesInput): NotePositions {
  const { notes, turns } = state;
  const turnIds = shownTurnIds(state);
  if (last && last.notes === notes && last.turns === turns && last.turnIds === turnIds) return last.places;
  const places = computePlaces(notes, turns, turnIds);
  last = { notes, turns, turnIds, places };
  return places;
}

function computePlaces(
  notes: ById<WorkspaceNote>,
  turns: SessionState["turns"],
  turnIds: readonly string[],
): NotePositions {
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

/** A row of a turn, with its tool call (if any) and its time. */
export interface Row {
  key: string;
  calls: readonly string[];
  time: string;
}

const NO_NOTES: readonly WorkspaceNote[] = [];

/** Returns the rows' keys with "note:<id>" inserted: below the call that the note is about, else by time. */
export function withNotes(rows: readonly Row[], notes: readonly WorkspaceNote[] = NO_NOTES): string[] {
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
