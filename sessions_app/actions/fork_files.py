"""Give a fork the workspace files as they were at the message where the fork begins.

The fork's workspace gets the original's last archive, which includes the data for undo. Then a revert of the fork's
session undoes all changes that calls made after the message. Only the fork's workspace is changed: if other sessions
have changed the same lines since, their changes are undone in it too, but stay in the original.
"""

from collections.abc import Sequence
from typing import Any, Final

from agentsite.base.errors import BadInput
from agentsite.tenancy.models import User
from sessions_app.actions.reverts import MAX_FILES, store_revert
from sessions_app.actions.workspace_notes import add_note
from sessions_app.agent.patches import chains_of, not_covered
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import Message, Revert, Session, WorkspaceNote
from sessions_app.queries.patches import has_patches_since, patches_after

NAMED_FILES: Final = 5  # in the note
TOO_MANY: Final = f"More than {MAX_FILES:,} files were changed since this message."


def next_message(message: Message) -> Message | None:
    """Return the next message of the session that no revert hides; None if there is none.

    Messages of answers that are not chosen are included.
    """
    rows = Message.objects.filter(session=message.session_id, reverted_by=None, pk__gt=message.pk)
    found: Message | None = rows.order_by("id").first()
    return found


def revert_in_fork(*, actor: User, source: Session, fork: Session, first: Message | None) -> Revert | None:
    """Store a revert that undoes, in a fork, the changes that calls of `source` made from the message `first` on.

    The revert changes the fork's workspace, and the fork's turn waits for it. Returns None if there is nothing to undo.
    Call this function in the fork's transaction. Raises BadInput if too many files were changed.
    """
    patches = [] if first is None else patches_after(source, first)
    chains = chains_of(patches)
    if len(chains) > MAX_FILES:
        raise BadInput(TOO_MANY, hint="Fork with the files as they are now.", fields={"files": "too many changes"})
    if not chains and not misses_changes(source, fork):
        return None
    wanted = [
        {"path": path, "chain": chain, "hunks": None, "decision": "", "seen": None, "anyway": True}
        for path, chain in sorted(chains.items())
    ]
    with session_write(fork.pk, related=("workspace", "project")) as write:
        return store_revert(
            write, Revert(session=write.session, actor=actor, wanted=wanted, not_covered=not_covered(patches))
        )


def misses_changes(source: Session, fork: Session) -> bool:
    """Return whether calls of `source` changed files between the time of the fork's archive and the creation of the
    fork."""
    at = fork.workspace.archived_at
    return at is not None and has_patches_since(source, at, before=fork.created_at)


def note_fork_files(write: SessionWrite, row: Revert) -> None:
    """Add a note to the fork with the number of files whose later changes were undone, and the files whose changes
    could not be undone."""
    taken = sum(file["before"] != file["after"] for file in row.files)
    left = [file for file in row.files if file["status"] in ("not_covered", "kept", "conflict")]
    begin = (
        f"The files are as they were at this message: {taken} {'file was' if taken == 1 else 'files were'} taken back."
    )
    _note(write, " ".join([begin, *_left(left), *row.not_covered, *_missing(write.session)]), files=len(left))


def note_failed_fork_files(write: SessionWrite, error: str) -> None:
    """Add a note to the fork which says that later changes could not be undone, so the fork has the newest files."""
    _note(write, f"The files are as they are now, and not as they were at this message: {error}", files=0)


def _missing(fork: Session) -> list[str]:
    source, at = fork.forked_from, fork.workspace.archived_at
    if source is None or at is None or not misses_changes(source, fork):
        return []
    return [f"What was changed after the last archive ({at:%H:%M} UTC on {at:%d %b}) is missing."]


def _left(files: Sequence[dict[str, Any]]) -> list[str]:
    if not files:
        return []
    named = ", ".join(f"{file['path']} ({file['reason']})" for file in files[:NAMED_FILES])
    more = f", and {len(files) - NAMED_FILES} more" if len(files) > NAMED_FILES else ""
    return [f"Not taken back: {named}{more}."]


def _note(write: SessionWrite, text: str, *, files: int) -> None:
    workspace_id = write.session.workspace_id
    add_note(write, workspace_id=workspace_id, kind=WorkspaceNote.Kind.FILES, text=text, data={"not_covered": files})
