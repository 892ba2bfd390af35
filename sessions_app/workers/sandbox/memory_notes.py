"""Let the tool `memory` read and change the notes of its session's project."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from asgiref.sync import sync_to_async

from agentsite.base.errors import SiteError
from sessions_app.memory.actions import Author, add_note, change_note, delete_note
from sessions_app.memory.models import MemoryNote
from sessions_app.memory.rules import checked_text, require_room
from sessions_app.models import ToolCall
from tools_app.memory_notes import NoteChange
from tools_app.spec import ToolError

T = TypeVar("T")


class SessionNotes:
    """The implementation of `tools_app.memory_notes.MemoryNotes` for a session's project. Methods run on the background
    loop, queries in threads."""

    def __init__(self, call: ToolCall) -> None:
        self._call = call

    async def text_before(self, change: NoteChange) -> str:
        return await _told(partial(self._text_before, change))

    async def make(self, change: NoteChange) -> str:
        return await _told(partial(self._make, change))

    def _text_before(self, change: NoteChange) -> str:
        notes = self._notes()
        before = _named(notes, change.note) if change.action != "add" else None
        if change.action != "delete":
            text = checked_text(change.text)
            if change.action == "replace" or all(each.text != text for each in notes):
                require_room(text, [each.text for each in notes if each is not before])
        return before.text if before else ""

    def _make(self, change: NoteChange) -> str:
        session, person = self._call.session, self._call.turn.started_by
        if person is None:
            raise ToolError("The account of the person who started this turn was deleted, so nobody may keep notes.")
        author = Author(person, agent=session.agent, session=session)
        if change.action == "add":
            return add_note(author=author, project=session.project, text=change.text).name
        note = _named(self._notes(), change.note)
        if change.action == "replace":
            return change_note(author=author, note=note, text=change.text).name
        delete_note(author=author, note=note)
        return note.name

    def _notes(self) -> list[MemoryNote]:
        return list(MemoryNote.objects.filter(project=self._call.session.project_id).select_related("project"))


def _named(notes: list[MemoryNote], name: str) -> MemoryNote:
    """Return the note with this name. Raises ToolError, which lists the existing names."""
    found = next((each for each in notes if each.name == name.strip()), None)
    if found is None:
        names = ", ".join(each.name for each in notes)
        raise ToolError(f"There is no note {name!r}. " + (f"The notes are: {names}." if names else "There are none."))
    return found


async def _told(work: Callable[[], T]) -> T:
    """Call `work` in a thread and return its result. A SiteError becomes a ToolError with the same message."""
    try:
        return await sync_to_async(work, thread_sensitive=False)()
    except SiteError as error:
        raise ToolError(f"{error.message} {error.hint}".strip()) from error
