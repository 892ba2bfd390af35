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

interface Look {
  tone: "quiet" | "notice" | "failed";
  icon: IconName;
  /** Said in front of what is loud, so that colour is not all there is. */
  word: string;
  /** Where to go on. */
  advice: string;
}

const QUIET: Look = { tone: "quiet", icon: "box", word: "", advice: "" };
const LOOKS: Readonly<Record<WorkspaceNote["kind"], Look>> = {
  started: QUIET,
  stopped: QUIET,
  restarted: QUIET,
  rebuilt: QUIET,
  restored: QUIET,
  limit: { tone: "notice", icon: "gauge", word: "Limit", advice: "See limits and use" },
  removing: { tone: "notice", icon: "trash", word: "Will be deleted", advice: "See the workspace" },
  lost: { tone: "failed", icon: "warning", word: "Lost", advice: "See the workspace" },
  operator: { tone: "notice", icon: "user", word: "Operator", advice: "" },
  refused: { tone: "failed", icon: "warning", word: "Refused", advice: "See its checks" },
};

/** One line about the workspace: hardly seen when all is well, amber at a limit, red when something was lost. */
export const WorkspaceNoteLine = memo(function WorkspaceNoteLine({ noteId }: { noteId: string }) {
  const note = useLive((state) => state.notes[noteId]);
  if (!note) return null;
  const { tone, icon, word, advice } = LOOKS[note.kind] ?? QUIET;
  return (
    <div
      className={`workspace-note workspace-note-${tone}`}
      data-testid="workspace-note"
      data-kind={note.kind}
      role={tone === "quiet" ? undefined : "status"}
    >
      <Icon name={icon} size={14} />
      <p>
        {word && <strong>{word}: </strong>}
        {visible(note.text)}{" "}
        {advice && (
          <Link href={workspacePath(note.workspace_id)} className="link">
            {advice}
          </Link>
        )}
      </p>
      <time className="number" dateTime={note.created_at}>
        {formatClock(note.created_at)}
      </time>
    </div>
  );
});

/** What was said of the workspace after this turn and before the next. */
export function NotesAfter({ turnId }: { turnId: string }) {
  const ids = useLive(useShallow((state) => placeNotes(state).after[turnId]?.map((note) => note.id) ?? []));
  return ids.map((id) => <WorkspaceNoteLine key={id} noteId={id} />);
}
