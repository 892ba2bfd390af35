"""Notes about a workspace that are shown in its sessions.

A session has at most one note of the same kind for the same call. A note about a state change is written only by the
process that made the change (`actions.workspaces`).
"""

import uuid
from collections.abc import Mapping
from typing import Any, Final

from agentsite.base.errors import Missing
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import Session, WorkspaceNote
from tools_app.text import clean_value

MAX_NOTE_CHARACTERS: Final = 500
MAX_NOTES_PER_SESSION: Final = 200  # older notes are deleted


def note_workspace(
    workspace_id: uuid.UUID,
    kind: str,
    text: str,
    *,
    data: Mapping[str, Any] | None = None,
    call_id: str = "",
    session_id: uuid.UUID | None = None,
) -> int:
    """Add a note to every session of the workspace that is not archived, or only to the given one. Returns the number
    of sessions.

    With a `call_id`, each session gets at most one note of a kind for this call (of the kind `limit`: one for each
    limit). A refusal is not noted twice in a row for the same reason. `data` has the facts of the text. Each session
    has its own transaction, so that none waits for another's lock.
    """
    rows = Session.objects.filter(workspace_id=workspace_id, archived=False).order_by("id")
    chosen = rows if session_id is None else rows.filter(pk=session_id)
    fields = {
        "workspace_id": workspace_id,
        "kind": kind,
        "text": _clipped(text),
        "data": clean_value(dict(data or {})),
        "call_id": call_id,
    }
    return sum(_add_note(found, fields) for found in chosen.values_list("id", flat=True))


def add_note(write: SessionWrite, *, workspace_id: uuid.UUID, kind: str, text: str, data: Mapping[str, Any]) -> None:
    """Add a note to one session, inside its transaction."""
    fields = {"workspace_id": workspace_id, "kind": kind, "text": _clipped(text), "data": clean_value(dict(data))}
    row = WorkspaceNote.objects.create(session=write.session, **fields)
    _drop_oldest(row.session_id)
    write.emit("workspace.noted", views.workspace_note(row))


def _add_note(session_id: uuid.UUID, fields: Mapping[str, Any]) -> bool:
    try:
        with session_write(session_id) as write:
            if _already_noted(session_id, fields):
                return False
            row = WorkspaceNote.objects.create(session=write.session, **fields)
            _drop_oldest(session_id)
            write.emit("workspace.noted", views.workspace_note(row))
    except Missing:  # deleted in the meantime
        return False
    return True


def _already_noted(session_id: uuid.UUID, fields: Mapping[str, Any]) -> bool:
    rows = WorkspaceNote.objects.filter(session_id=session_id)
    if (
        fields["kind"] == WorkspaceNote.Kind.REFUSED
    ):  # repeated attempts fail alike; note it again only after a different note
        newest = rows.order_by("-id").first()
        return newest is not None and (newest.kind, newest.text) == (fields["kind"], fields["text"])
    if not fields["call_id"]:
        return False
    same = rows.filter(kind=fields["kind"], call_id=fields["call_id"]).values_list("data", flat=True)
    return fields["data"].get("limit") in [data.get("limit") for data in same]


def _drop_oldest(session_id: uuid.UUID) -> None:
    rows = WorkspaceNote.objects.filter(session_id=session_id).order_by("-id")
    older = list(rows.values_list("id", flat=True)[MAX_NOTES_PER_SESSION:][:MAX_NOTES_PER_SESSION])
    if older:
        WorkspaceNote.objects.filter(pk__in=older).delete()


def _clipped(text: str) -> str:
    cleaned = str(clean_value(" ".join(text.split())))
    return cleaned if len(cleaned) <= MAX_NOTE_CHARACTERS else f"{cleaned[: MAX_NOTE_CHARACTERS - 1]}…"
