"""The events of a session, each delivered once and in order, across reconnections."""

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

READ_TIMEOUT: Final = 20.0  # seconds; the site sends a comment every two seconds without events
RECONNECT_TIMEOUT: Final = 60.0  # seconds without a connection
RETRY_PAUSE: Final = 0.5  # seconds
VIEWS: Final[dict[str, type[BaseModel]]] = {
    "session.created": types.SessionView,
    "session.updated": types.SessionView,
    "turn.updated": types.TurnView,
    "alternatives.updated": types.AlternativesView,
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
    "pull_request.updated": types.PullRequestSummaryView,
    "review_comment.updated": types.ReviewCommentView,
    "file_approval.updated": types.FileApprovalView,
}


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a session.

    `view` is the new state of the object that the event is about. It is None for event types that this client does not
    know; `data` is the JSON data as the site sent it.
    """

    seq: int
    type: str
    data: dict[str, Any]

    @property
    def view(self) -> BaseModel | None:
        kind = VIEWS.get(self.type)
        return None if kind is None else kind.model_validate(self.data)


class TooOld(Exception):
    """The site no longer has all events since the cursor. Load the session's snapshot, then continue from its `seq`."""


def follow(connection: Connection, session_id: str, after: int) -> Iterator[Event | None]:
    """Yield all events after the cursor `after`, then new events as they happen; the iterator never ends by itself.

    None means that there was no event for about two seconds. Reconnects after connection errors. Raises Unreachable
    after `RECONNECT_TIMEOUT` seconds without a connection, TooOld if events are missing, and ApiError.
    """
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
            if time.monotonic() - lost_at > RECONNECT_TIMEOUT:
                raise Unreachable(f"The events of {session_id} cannot be read: {error}.") from error
            time.sleep(RETRY_PAUSE)


def _read(connection: Connection, session_id: str, after: int) -> Iterator[Event | None]:
    path, headers = f"/sessions/{session_id}/events", {"Last-Event-ID": str(after)}
    with connection.stream(path, headers=headers, timeout=READ_TIMEOUT) as answer:
        yield from read_stream(answer.iter_lines())


def read_stream(lines: Iterator[str]) -> Iterator[Event | None]:
    """Parse the lines of a server-sent event stream; yield None for a comment.

    Raises TooOld if the site sends a reset, because the site no longer has all events since the cursor.
    """
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
