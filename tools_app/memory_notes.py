"""The interface through which the tool `memory` reads and changes the notes of its session's project."""

from dataclasses import dataclass
from typing import Literal, Protocol

NoteAction = Literal["add", "replace", "delete"]


@dataclass(frozen=True, slots=True)
class NoteChange:
    """A change of the memory. `note` is the name of an existing note, or "" for a new note. `text` is the new text, or
    "" to delete the note."""

    action: NoteAction
    note: str = ""
    text: str = ""


class MemoryNotes(Protocol):
    """The memory of one project. Failures of both methods are ToolErrors, whose message says what to do."""

    async def text_before(self, change: NoteChange) -> str:
        """Return the current text of the note that the change is about; "" for a new note. Changes nothing."""
        ...

    async def make(self, change: NoteChange) -> str:
        """Create, change or delete a note in the project's memory, and return the note's name. Safe to call again with
        the same change."""
        ...
