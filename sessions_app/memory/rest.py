"""REST endpoints for the memory of projects."""

import uuid
from collections.abc import Collection
from datetime import datetime
from typing import Self

from django.http import HttpRequest
from ninja import Field, Router, Status

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Stale
from agentsite.base.pagination import Page, paginate
from agentsite.http.etags import accepted_versions, require_version, set_version
from agentsite.http.operation_marks import conditional
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.access import can
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Project, User
from agentsite.tenancy.roles import Act
from sessions_app.events import schema, views
from sessions_app.memory.actions import Author, add_note, change_note, delete_note
from sessions_app.memory.models import MemoryNote, MemoryNoteQuerySet
from sessions_app.models import Session
from sessions_app.models.base import public_id_of

router = Router(tags=["memory"])


class MemoryNoteView(schema.View):
    """A note in the memory of a project.

    `changed_by` wrote the text; if `agent` is not empty, that agent wrote it in a turn of this person. `session_id` is
    the session in which an agent wrote it, null if you cannot see it. `name` is how agents refer to the note.
    `can_edit`: you may change and delete it.
    """

    id: str
    name: str
    text: str
    agent: str
    session_id: str | None
    version: int
    created_at: datetime
    changed_by: schema.PersonView | None
    changed_at: datetime
    can_edit: bool

    @classmethod
    def of(cls, row: MemoryNote, seen: Collection[uuid.UUID], *, can_edit: bool) -> Self:
        return cls(
            id=row.public_id,
            name=row.name,
            text=row.text,
            agent=row.agent,
            session_id=public_id_of("ses", row.session_id) if row.session_id in seen else None,
            version=row.version,
            created_at=row.created_at,
            changed_by=views.person(row.changed_by),
            changed_at=row.changed_at,
            can_edit=can_edit,
        )


class NewMemoryNote(RequestBody):
    """A new note: at most 2,048 bytes, without keys or passwords. All notes of a project have at most 16 KiB together,
    and there are at most 100."""

    text: str = Field(min_length=1, max_length=10_000)


class MemoryNoteChange(RequestBody):
    """A new text for a note. `base_version` is the version that you have read."""

    text: str = Field(min_length=1, max_length=10_000)
    base_version: int | None = Field(default=None, ge=0, le=2**31 - 1)


@router.get("/projects/{project_id}/memory-notes", response=Page[MemoryNoteView], operation_id="list_memory_notes")
def list_memory_notes(
    request: HttpRequest, project_id: str, *, cursor: str | None = None, limit: int = 100
) -> Page[MemoryNoteView]:
    """List the notes of a project's memory, newest first. Agents of the project get them in their system prompt."""
    user, project = current_user(request), _project(request, project_id)
    page = paginate(_visible(request).filter(project=project), cursor=cursor, limit=limit)
    seen, can_edit = _seen(user, page.rows), _may_edit(user, project)
    return Page[MemoryNoteView].of(page, lambda row: MemoryNoteView.of(row, seen, can_edit=can_edit))


@router.post("/projects/{project_id}/memory-notes", response={201: MemoryNoteView}, operation_id="create_memory_note")
def post_memory_note(request: HttpRequest, project_id: str, payload: NewMemoryNote) -> Status[MemoryNoteView]:
    """Add a note to a project's memory. Agents get it in their system prompt from the next prompt on."""
    row = add_note(author=_author(request), project=_project(request, project_id), text=payload.text)
    return Status(201, _show(request, row))


@router.get("/memory-notes/{memory_note_id}", response=MemoryNoteView, operation_id="get_memory_note")
def get_memory_note(request: HttpRequest, memory_note_id: str) -> MemoryNoteView:
    """Return a note of a project's memory."""
    return _show(request, _visible(request).by_public_id(memory_note_id))


@router.patch("/memory-notes/{memory_note_id}", response=MemoryNoteView, operation_id="update_memory_note")
@conditional
def patch_memory_note(request: HttpRequest, memory_note_id: str, payload: MemoryNoteChange) -> MemoryNoteView:
    """Replace the text of a note. Agents get the new text from the next step on."""
    wanted = accepted_versions(request)

    def check_version(row: MemoryNote) -> None:
        require_version(wanted, str(row.version))
        if payload.base_version not in (None, row.version):
            raise Stale(
                f"This note was changed meanwhile: its version is now {row.version}.",
                code=ErrorCode.STALE_MEMORY_NOTE,
                hint="Load the new version, then apply your changes to it.",
            )

    note = _visible(request).by_public_id(memory_note_id)
    row = change_note(author=_author(request), note=note, text=payload.text, check_version=check_version)
    return _show(request, row)


@router.delete("/memory-notes/{memory_note_id}", response={204: None}, operation_id="delete_memory_note")
def delete_memory_note(request: HttpRequest, memory_note_id: str) -> Status[None]:
    """Delete a note. From the next step on, agents no longer get it."""
    delete_note(author=_author(request), note=_visible(request).by_public_id(memory_note_id))
    return Status(204, None)


def _author(request: HttpRequest) -> Author:
    return Author(current_user(request))


def _project(request: HttpRequest, project_id: str) -> Project:
    return Project.objects.visible_to(current_user(request)).by_public_id(project_id)


def _visible(request: HttpRequest) -> MemoryNoteQuerySet:
    return MemoryNote.objects.visible_to(current_user(request)).select_related("project", "changed_by")


def _seen(user: User, rows: Collection[MemoryNote]) -> set[uuid.UUID]:
    """Return the ids of the notes' sessions, except sessions that the user may not see."""
    wanted = {row.session_id for row in rows if row.session_id is not None}
    return set(Session.objects.visible_to(user).filter(pk__in=wanted).values_list("pk", flat=True)) if wanted else set()


def _show(request: HttpRequest, row: MemoryNote) -> MemoryNoteView:
    user = current_user(request)
    set_version(request, str(row.version))
    return MemoryNoteView.of(row, _seen(user, [row]), can_edit=_may_edit(user, row.project))


def _may_edit(user: User, project: Project) -> bool:
    return can(user, Act.PROMPT, team_id=project.team_id)
