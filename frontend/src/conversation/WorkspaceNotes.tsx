import { memo } from "react";
import { Link } from "wouter";
import { useShallow } from "zustand/react/shallow";
import type { WorkspaceNote } from "../api/types";
import { formatClock } from "../lib/format";
import { visible } from "../lib/visible";
import { useLive } from "../store/SessionContext";
import { Icon, type IconName } from "../ui/Icon";
import { workspacePath } from "../workspaces/paths";
import { placeNotes } from "./notes";
import "./WorkspaceNotes.css";

interface NoteStyle {
  tone: "quiet" | "notice" | "failed";
  icon: IconName;
  /** Label in front of important notes, so that colour is not the only sign. */
  label: string;
  /** Text of the link to the workspace. */
  linkText: string;
}

const QUIET: NoteStyle = { tone: "quiet", icon: "box", label: "", linkText: "" };
const NOTE_STYLES: Readonly<Record<WorkspaceNote["kind"], NoteStyle>> = {
  started: QUIET,
  stopped: QUIET,
  restarted: QUIET,
  rebuilt: QUIET,
  restored: QUIET,
  setup: QUIET,
  files: { tone: "notice", icon: "undo", label: "Files", linkText: "" },
  limit: { tone: "notice", icon: "gauge", label: "Limit", linkText: "View limits and usage" },
  removing: { tone: "notice", icon: "trash", label: "Will be deleted", linkText: "View workspace" },
  lost: { tone: "failed", icon: "warning", label: "Lost", linkText: "View workspace" },
  operator: { tone: "notice", icon: "user", label: "Operator", linkText: "" },
  refused: { tone: "failed", icon: "warning", label: "Refused", linkText: "View self-check" },
};

/**
 * One line about the workspace: muted normally, amber at a limit or before deletion, red if something was
 * lost or refused.
 */
export const WorkspaceNoteLine = memo(function WorkspaceNoteLine({ noteId }: { noteId: string }) {
  const note = useLive((state) => state.notes[noteId]);
  if (!note) return null;
  const { tone, icon, label, linkText } = NOTE_STYLES[note.kind] ?? QUIET;
  return (
    <div
      className={`workspace-note flex align-start small text-faint workspace-note-${tone}`}
      data-testid="workspace-note"
      data-kind={note.kind}
      role={tone === "quiet" ? undefined : "status"}
    >
      <Icon name={icon} size={14} />
      <p>
        {label && <strong>{label}: </strong>}
        {visible(note.text)}{" "}
        {linkText && (
          <Link href={workspacePath(note.workspace_id)} className="link">
            {linkText}
          </Link>
        )}
      </p>
      <time className="number" dateTime={note.created_at}>
        {formatClock(note.created_at)}
      </time>
    </div>
  );
});

/** Notes about the workspace that belong after this turn and before the next. */
export function NotesAfter({ turnId }: { turnId: string }) {
  const ids = useLive(useShallow((state) => placeNotes(state).after[turnId]?.map((note) => note.id) ?? []));
  return ids.map((id) => <WorkspaceNoteLine key={id} noteId={id} />);
}
