"""Every frame that a WebSocket accepts from clients, for the tenancy tests."""

from collections.abc import Mapping
from typing import Any, Final

FRAMES: Final[Mapping[str, Mapping[str, Any]]] = {
    "hello": {},
    "prompt": {"text": "hello", "attachments": ["{attachment_id}"], "agent": "{agent_name}"},
    "prompt.change": {"message_id": "{message_id}", "text": "hello"},
    "prompt.withdraw": {"message_id": "{message_id}"},
    "abort": {},
    "permission.reply": {"request_id": "{request_id}", "reply": "once"},
    "question.reply": {"question_id": "{question_id}", "answers": [["yes"]]},
    "question.reject": {"question_id": "{question_id}"},
    "part.get": {"part_id": "{part_id}"},
    "call.get": {"call_id": "{call_id}"},
    "ping": {},
}
"""Every frame that a session's socket accepts. "{part_id}" stands for a row of the tested team; each is tried alone."""

FRAMES_OF_ME: Final[Mapping[str, Mapping[str, Any]]] = {"hello": {}, "ping": {}}
"""Every frame that a person's socket accepts."""

FRAMES_OF_TERMINAL: Final[Mapping[str, Mapping[str, Any]]] = {
    "hello": {"after": None},
    "input": {"data": "hello"},
    "resize": {"rows": 24, "columns": 80},
    "taken": {},
    "ping": {},
}
"""Every frame that a terminal's socket accepts. None names a row, because the address names session and terminal."""

PLAIN_OF_FRAMES: Final = frozenset({"id", "text", "message", "answers", "data"})
"""Texts in frames that name no row."""
