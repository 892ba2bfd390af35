"""Add, change and delete notes of a project's memory."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from agentsite.base.errors import Missing
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.models import Project, User
from agentsite.tenancy.roles import Act
from sessions_app.memory.models import MemoryNote
from sessions_app.memory.rules import checked_text, require_room
from sessions_app.models import Session


@dataclass(frozen=True, slots=True)
class Author:
    """The author of a change: a person, or an agent in a turn that this person started in `session`."""

    person: User
    agent: str = ""
    session: Session | None = None


def add_note(*, author: Author, project: Project, text: str) -> MemoryNote:
    """Add a note to the memory of a project. If a note already has this text, it is returned unchanged, so the call can
    be repeated.

    Raises BadInput if the text cannot be kept or the memory is full, and NotAllowed if the person may not prompt.
    """
    require(author.person, Act.PROMPT, team_id=project.team_id)
    text = checked_text(text)
    with sqlite_write_lock(), transaction.atomic():
        others = _locked_notes(project)
        same = next((each for each in others if each.text == text), None)
        if same is not None:
            return same
        require_room(text, [each.text for each in others])
        row = MemoryNote(project=project)
        _write(row, author, text)
        row.save(force_insert=True)
        _audit(author, row, "memory_note.added")
    return row


def change_note(
    *, author: Author, note: MemoryNote, text: str, check_version: Callable[[MemoryNote], None] = lambda _row: None
) -> MemoryNote:
    """Replace the text of a note. `check_version` is called with the locked row. Raises the errors of `add_note`, and
    Missing if the note was deleted meanwhile."""
    require(author.person, Act.PROMPT, team_id=note.project.team_id)
    text = checked_text(text)
    with sqlite_write_lock(), transaction.atomic():
        rows = _locked_notes(note.project)
        row = next((each for each in rows if each.pk == note.pk), None)
        if row is None:
            raise Missing("This note no longer exists.")
        check_version(row)
        require_room(text, [each.text for each in rows if each.pk != row.pk])
        row.version += 1
        _write(row, author, text)
        row.save()
        _audit(author, row, "memory_note.changed")
    return row


def delete_note(*, author: Author, note: MemoryNote) -> None:
    """Delete a note. From the next step on, agents no longer see it."""
    require(author.person, Act.PROMPT, team_id=note.project.team_id)
    with sqlite_write_lock(), transaction.atomic():
        if not MemoryNote.objects.filter(pk=note.pk).delete()[0]:
            raise Missing("This note no longer exists.")
        _audit(author, note, "memory_note.deleted")


def _locked_notes(project: Project) -> list[MemoryNote]:
    """Lock the project's row and return the project's notes, which then cannot change until the transaction ends."""
    Project.objects.select_for_update().filter(pk=project.pk).values_list("pk", flat=True).first()
    return list(MemoryNote.objects.filter(project=project))


def _write(row: MemoryNote, author: Author, text: str) -> None:
    row.text, row.agent, row.session = text, author.agent, author.session
    row.changed_by, row.changed_at = author.person, timezone.now()


def _audit(author: Author, row: MemoryNote, action: str) -> None:
    """Record a change of a note in the audit log, without the text of the note."""
    data: dict[str, Any] = {"bytes": len(row.text.encode()), "version": row.version}
    if author.agent:
        data["agent"] = author.agent
    if author.session is not None:
        data["session"] = author.session.public_id
    audit.record(
        team_id=row.project.team_id,
        actor=author.person,
        action=action,
        subject=row.public_id,
        data=data,
        project_id=row.project_id,
    )
