"""A session's events, each once and in order, through every loss of the connection."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import httpx
from pydantic import BaseModel

from agentsite.client import types
from agentsite.client.connection import Connection
from agentsite.client.errors import ApiError, Unreachable

SILENCE: Final = 20.0  # seconds; the site says something every two
GIVE_UP_AFTER: Final = 60.0  # seconds without a connection
RETRY_PAUSE: Final = 0.5
VIEWS: Final[dict[str, type[BaseModel]]] = {
    "session.created": types.SessionView,
    "session.updated": types.SessionView,
    "turn.updated": types.TurnView,
    "message.updated": types.MessageView,
    "part.updated": types.PartView,
    "call.updated": types.ToolCallView,
    "permission.asked": types.PermissionRequestView,
    "permission.updated": types.PermissionRequestView,
    "permission.settled": types.PermissionRequestView,
    "question.asked": types.QuestionView,
    "question.settled": types.QuestionView,
    "workspace.updated": types.WorkspaceView,
    "workspace.noted": types.WorkspaceNoteView,
}


@dataclass(frozen=True, slots=True)
class Event:
    """`view` is the new state of the one thing that the event is about; None for types this client does not know, whose
    `data` is there as the site sent it."""

    seq: int
    type: str
    data: dict[str, Any]

    @property
    def view(self) -> BaseModel | None:
        kind = VIEWS.get(self.type)
        return None if kind is None else kind.model_validate(self.data)


class TooOld(Exception):
    """The site does not have everything since the cursor any more: load the snapshot."""


def follow(connection: Connection, session_id: str, after: int) -> Iterator[Event | None]:
    """Every event after the cursor, then live ones, without end. None says that nothing happened for a while."""
    lost_at: float | None = None
    while True:
        try:
            for item in _read(connection, session_id, after):
                lost_at = None
                after = item.seq if item else after
                yield item
        except (httpx.TransportError, ApiError) as error:
            if isinstance(error, ApiError) and error.status < 500 and error.status != 429:
                raise
            lost_at = lost_at or time.monotonic()
            if time.monotonic() - lost_at > GIVE_UP_AFTER:
                raise Unreachable(f"The events of {session_id} cannot be read: {error}.") from error
            time.sleep(RETRY_PAUSE)


def _read(connection: Connection, session_id: str, after: int) -> Iterator[Event | None]:
    path, headers = f"/sessions/{session_id}/events", {"Last-Event-ID": str(after)}
    with connection.stream(path, headers=headers, timeout=SILENCE) as answer:
        yield from read_stream(answer.iter_lines())


def read_stream(lines: Iterator[str]) -> Iterator[Event | None]:
    """Server-sent events by their lines. A comment is None. Raises TooOld when the site says so."""
    fields: dict[str, str] = {}
    for line in lines:
        if line.startswith(":"):
            yield None
        elif line:
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            fields[name] = f"{fields[name]}\n{value}" if name == "data" and name in fields else value
        elif fields:
            if fields.get("event") == "reset":
                raise TooOld
            if "id" in fields and "data" in fields:
                yield Event(int(fields["id"]), fields.get("event", ""), json.loads(fields["data"]))
            fields = {}
