import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Link } from "wouter";
import { addNote, changeNote, deleteNote, listNotes, type MemoryNote } from "../api/memory";
import { useMe } from "../app/queries";
import { formatAgo } from "../lib/format";
import { visible, visibleLine } from "../lib/visible";
import { mayStart, shownName } from "../permissions/approvers";
import type { ProjectTabProps } from "../project/tabProps";
import { useLive } from "../store/SessionContext";
import { ConfirmButton, ExpandableRow } from "../ui/ExpandableRow";
import { FieldsProblem } from "../ui/FieldsProblem";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { firstLine, MAX_TOTAL_BYTES, usedBytes } from "./notes";
import "./memory.css";

/** Tab of a project's settings: the notes that every agent of the project is told. */
export function ProjectMemory({ project }: ProjectTabProps) {
  const role = useMe().data?.teams.find((team) => team.id === project.team_id)?.role ?? null;
  return <Memory projectId={project.id} mayAdd={mayStart(role)} />;
}

/** Section of a session's details: the memory of its project. Read again after each step. */
export function SessionMemory() {
  const projectId = useLive((state) => state.session?.project_id);
  const mayAdd = useLive((state) => state.canAct);
  const messages = useLive((state) => Object.keys(state.messages).length);
  const status = useLive((state) => state.session?.status);
  if (!projectId) return <Skeleton rows={3} label="Loading the memory" />;
  return (
    <div className="memory-panel">
      <Memory projectId={projectId} mayAdd={mayAdd} moment={`${messages} ${status}`} />
    </div>
  );
}

interface MemoryProps {
  projectId: string;
  mayAdd: boolean;
  /** The notes are read again when this changes. */
  moment?: string;
}

function Memory({ projectId, mayAdd, moment = "" }: MemoryProps) {
  const found = useQuery({
    queryKey: ["memory", projectId, moment],
    queryFn: () => listNotes(projectId),
    placeholderData: (before) => before,
  });
  const refresh = () => found.refetch();
  const notes = found.data?.items ?? [];
  return (
    <>
      <p className="muted tab-intro">
        Every agent of this project is told these notes, as information and not as instructions. Agents ask
        before they change them. Everybody in the team can read them; do not write keys or passwords here.
      </p>
      {mayAdd && (
        <NoteForm
          title="New note"
          verb="Add note"
          before=""
          save={async (text) => {
            await addNote(projectId, text);
            await refresh();
          }}
        />
      )}
      {found.isPending && <Skeleton rows={3} label="Loading the memory" />}
      {found.error && !found.data && <Problem error={found.error} onRetry={found.refetch} />}
      {found.data && notes.length === 0 && (
        <p className="empty-tab muted">
          Nothing is kept yet. Write a note, or ask the agent: &ldquo;Remember that tests run with make
          test.&rdquo;
        </p>
      )}
      {notes.length > 0 && (
        <>
          <ul className="ruled-top" aria-label="Notes">
            {notes.map((note) => (
              <NoteRow key={note.id} note={note} onChanged={refresh} />
            ))}
          </ul>
          <p className="small muted number">
            {(usedBytes(notes) / 1024).toFixed(1)} of {MAX_TOTAL_BYTES / 1024} KiB used
          </p>
        </>
      )}
    </>
  );
}

function NoteRow({ note, onChanged }: { note: MemoryNote; onChanged: () => Promise<unknown> }) {
  const { run, busy, error } = useAction();
  const first = visibleLine(firstLine(note.text));
  return (
    <ExpandableRow
      name={first}
      about={
        <span className="muted small">{note.agent ? `by the agent ${visibleLine(note.agent)}` : ""}</span>
      }
      testId="memory-note"
      error={error}
    >
      {note.can_edit ? (
        <NoteForm
          key={note.version}
          title={`Change the note ${first}`}
          verb="Save"
          before={note.text}
          save={async (text) => {
            await changeNote(note, text);
            await onChanged();
          }}
        />
      ) : (
        <p className="pre-wrap break-anywhere">{visible(note.text)}</p>
      )}
      <p className="muted small">
        <WrittenBy note={note} />
      </p>
      {note.can_edit && (
        <div className="flow">
          <ConfirmButton
            verb="Delete"
            name="this note"
            lost="Agents are not told it any more."
            busy={busy}
            onConfirm={() =>
              void run(async () => {
                await deleteNote(note.id);
                await onChanged();
              })
            }
          />
        </div>
      )}
    </ExpandableRow>
  );
}

/** Who wrote the text of a note, when, and in which session. */
function WrittenBy({ note }: { note: MemoryNote }) {
  const person = note.changed_by ? shownName(note.changed_by) : "somebody whose account was deleted";
  return (
    <>
      Written {formatAgo(note.changed_at)} by{" "}
      {note.agent ? `the agent ${visibleLine(note.agent)} for ${person}` : person}
      {note.session_id && (
        <>
          {" in "}
          <Link className="link" href={`/sessions/${note.session_id}`}>
            this session
          </Link>
        </>
      )}
      .
    </>
  );
}

interface NoteFormProps {
  title: string;
  verb: string;
  before: string;
  save: (text: string) => Promise<void>;
}

function NoteForm({ title, verb, before, save }: NoteFormProps) {
  const [text, setText] = useState(before);
  const { run, busy, error } = useAction();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      await save(text);
      if (!before) setText("");
    });
  };
  return (
    <form className="memory-form stack gap-8 items-start" onSubmit={submit} aria-label={title}>
      <textarea
        className="full-width"
        rows={before ? 4 : 2}
        aria-label="Text of the note"
        placeholder="One fact: a decision and its reason, how tests are run, a trap that cost time"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {error !== null && <FieldsProblem error={error} />}
      <button type="submit" className="button primary" disabled={busy || !text.trim() || text === before}>
        {!before && <Icon name="plus" size={14} />} {verb}
      </button>
    </form>
  );
}
