"""The notes of a project's memory that are shown to models."""

from collections.abc import Sequence

from sessions_app.agent.context import ToldNote
from sessions_app.memory.models import MemoryNote
from sessions_app.models import Session
from sessions_app.revisions import per_revision


@per_revision
def project_notes(session: Session) -> Sequence[ToldNote]:
    """Return the notes of the session's project, the oldest first. The database is read once after each change of the
    session's configuration, even if there are no notes."""
    rows = MemoryNote.objects.filter(project=session.project_id).order_by("id")
    return tuple(ToldNote(row.name, row.text, row.created_at) for row in rows)
