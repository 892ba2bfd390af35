"""Convert stored messages to the chat messages that a model reads. Pure."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sessions_app.agent.attachment_parts import reference
from sessions_app.llm.port import TOOL_FILES_PREFIX

_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_-]")
_NAME_LIMIT: Final = 64


@dataclass(frozen=True, slots=True)
class StoredCall:
    """A tool call with its result. `files` are the attachments of the result."""

    provider_id: str
    tool: str
    raw_arguments: str
    output: str
    files: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A complete message with its texts in order. All `calls` have ended; `files` are the prompt's attachments."""

    role: str
    texts: list[str] = field(default_factory=list)
    calls: list[StoredCall] = field(default_factory=list)
    files: list[Mapping[str, Any]] = field(default_factory=list)


def chat_messages(messages: Iterable[StoredMessage]) -> list[dict[str, Any]]:
    """Return the chat messages of stored messages.

    Every assistant message with calls is followed by one tool message for each, in order, and then by the files
    attached to the results, since a tool message may only contain text. Files are references
    (`sessions_app.agent.attachment_parts`).
    """
    return [item for message in messages for item in _to_chat(message)]


def _to_chat(message: StoredMessage) -> list[dict[str, Any]]:
    text = "\n\n".join(text for text in message.texts if text)
    if message.role == "user":
        return [_user_content(text, message.files)]
    if not text and not message.calls:
        return []
    answer: dict[str, Any] = {"role": "assistant", "content": text or None}
    if message.calls:
        answer["tool_calls"] = [_call(call) for call in message.calls]
    results = [{"role": "tool", "tool_call_id": call.provider_id, "content": call.output} for call in message.calls]
    attached = [file for call in message.calls for file in call.files]
    return [answer, *results, *([_user_content(TOOL_FILES_PREFIX, attached)] if attached else [])]


def _user_content(text: str, files: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    if not files:
        return {"role": "user", "content": text}
    words = [{"type": "text", "text": text}] if text else []
    return {"role": "user", "content": [*words, *map(reference, files)]}


def _call(call: StoredCall) -> dict[str, Any]:
    """Return a call with a valid name and valid arguments: providers refuse the whole conversation for one malformed
    call."""
    name = _NOT_IN_NAMES.sub("_", call.tool)[:_NAME_LIMIT] or "unnamed"
    function = {"name": name, "arguments": _json_object(call.raw_arguments)}
    return {"id": call.provider_id, "type": "function", "function": function}


def _json_object(text: str) -> str:
    """Return the arguments as the model wrote them, wrapped if they are not a JSON object."""
    try:
        readable = isinstance(json.loads(text or "{}"), dict)
    except (ValueError, RecursionError):
        readable = False
    return (text or "{}") if readable else json.dumps({"unreadable_arguments": text})
