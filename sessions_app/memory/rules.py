"""Limits of a project's memory, and rules for the text of its notes. Pure."""

from collections.abc import Sequence
from typing import Final

from agentsite.base.errors import BadInput
from agentsite.base.redaction import find_key
from tools_app.text import is_clean

MAX_NOTES: Final = 100
MAX_NOTE_BYTES: Final = 2_048
MAX_TOTAL_BYTES: Final = 16_384  # all notes of a project, which are part of each system prompt


def checked_text(text: str) -> str:
    """Return the text of a note without space around it. Raises BadInput if it cannot be a note."""
    text = text.strip()
    if not text:
        raise BadInput("The note is empty.", fields={"text": "empty"})
    if not is_clean(text):
        raise BadInput("The note contains a NUL or an incomplete character.", fields={"text": "not text"})
    if len(text.encode()) > MAX_NOTE_BYTES:
        raise BadInput(
            f"The note is longer than {MAX_NOTE_BYTES:,} bytes.",
            hint="Shorten it, or put the text into a file of the repository and name the file in the note.",
            fields={"text": f"at most {MAX_NOTE_BYTES:,} bytes"},
        )
    if key := find_key(text):
        raise BadInput(
            f"The note contains what looks like a key or token ('{key}…'). Every model and everybody in the team would"
            " read it.",
            hint="Leave it out. Secrets are kept as variables of the project.",
            fields={"text": "contains a key"},
        )
    return text


def require_room(text: str, others: Sequence[str]) -> None:
    """Raise BadInput if the project's memory cannot take another note with this text. `others` are the texts of the
    other notes."""
    if len(others) >= MAX_NOTES:
        raise BadInput(f"The memory of a project has at most {MAX_NOTES} notes.", hint=_MAKE_ROOM)
    if sum(len(each.encode()) for each in (*others, text)) > MAX_TOTAL_BYTES:
        raise BadInput(
            f"All notes of a project have at most {MAX_TOTAL_BYTES >> 10} KiB together.",
            hint=_MAKE_ROOM,
            fields={"text": "too long"},
        )


_MAKE_ROOM: Final = "Delete a note that is no longer needed, or replace several notes by a shorter one."
