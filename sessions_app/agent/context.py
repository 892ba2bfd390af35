"""The conversation as a model reads it: stored messages in, chat messages out. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class StoredCall:
    provider_id: str
    tool: str
    raw_arguments: str
    output: str


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A complete message with its texts in order; `calls` have all ended."""

    role: str
    texts: Sequence[str]
    calls: Sequence[StoredCall] = ()


def chat_messages(messages: Iterable[StoredMessage]) -> list[dict[str, Any]]:
    """Every assistant message with calls is followed by one tool message for each, in order."""
    return [item for message in messages for item in _one(message)]


def _one(message: StoredMessage) -> list[dict[str, Any]]:
    text = "\n\n".join(text for text in message.texts if text)
    if message.role == "user":
        return [{"role": "user", "content": text}]
    if not text and not message.calls:
        return []
    answer: dict[str, Any] = {"role": "assistant", "content": text or None}
    if message.calls:
        answer["tool_calls"] = [_call(call) for call in message.calls]
    results = [{"role": "tool", "tool_call_id": call.provider_id, "content": call.output} for call in message.calls]
    return [answer, *results]


def _call(call: StoredCall) -> dict[str, Any]:
    function = {"name": call.tool, "arguments": call.raw_arguments or "{}"}
    return {"id": call.provider_id, "type": "function", "function": function}
