"""The chat-completions format: convert a reply to stream chunks or to one JSON answer. Pure functions."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

CHARACTERS_PER_TOKEN: Final = 4
TOKENS_PER_FILE: Final = 1000  # about what real models count for a picture or document, regardless of its size
FILE_DATA_URL: Final = re.compile(r"data:[^\",;]*;base64,[A-Za-z0-9+/=]*")
WORDS: Final = re.compile(r"\s*\S+\s*")
DONE: Final = b"data: [DONE]\n\n"


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call. `arguments` is JSON text, or any other text that a script sends to test bad JSON."""

    name: str
    arguments: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """A scripted model answer of one step.

    If `finish` is empty, a finish reason that fits the content is sent; if `usage` is None, estimated token counts.
    """

    text: str = ""
    reasoning: str = ""
    calls: tuple[Call, ...] = ()
    finish: str = ""
    usage: Mapping[str, Any] | None = None


def call(name: str, **arguments: Any) -> Call:
    """Return a tool call with these arguments."""
    return Call(name, json.dumps(arguments, ensure_ascii=False))


def with_call_ids(reply: Reply, prefix: str) -> Reply:
    """Return the reply with an id for every call. The new ids are unique if `prefix` is."""
    calls = (Call(c.name, c.arguments, c.id or f"call_{prefix}_{n}") for n, c in enumerate(reply.calls))
    return Reply(reply.text, reply.reasoning, tuple(calls), reply.finish, reply.usage)


def finish_reason(reply: Reply) -> str:
    return reply.finish or ("tool_calls" if reply.calls else "stop")


def usage(body: Mapping[str, Any], reply: Reply) -> Mapping[str, Any]:
    """Return the reply's own usage, or token counts estimated from characters, in OpenAI's format."""
    if reply.usage is not None:
        return reply.usage
    sent = json.dumps([body.get("messages"), body.get("tools")], ensure_ascii=False)
    files, prompt_text = len(FILE_DATA_URL.findall(sent)), FILE_DATA_URL.sub("", sent)
    prompt = tokens(prompt_text) + files * TOKENS_PER_FILE
    reasoning = tokens(reply.reasoning)
    completion = reasoning + tokens(reply.text) + sum(tokens(c.name + c.arguments) for c in reply.calls)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "completion_tokens_details": {"reasoning_tokens": reasoning},
    }


def tokens(text: str) -> int:
    """Estimate the tokens of a text, rounded up."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def split_words(text: str, max_pieces: int) -> Sequence[str]:
    """Split a text into words with their whitespace, or into groups of words to keep within `max_pieces` pieces."""
    words = WORDS.findall(text) or ([text] if text else [])
    size = -(-len(words) // max_pieces) or 1
    return ["".join(words[start : start + size]) for start in range(0, len(words), size)]


def split_characters(text: str, size: int) -> Sequence[str]:
    """Split a text into pieces of `size` characters; 0 does not split."""
    if not size or len(text) <= size:
        return [text] if text else []
    return [text[start : start + size] for start in range(0, len(text), size)]


def deltas(
    reply: Reply, texts: Sequence[str], reasonings: Sequence[str], arguments_size: int
) -> Iterator[dict[str, Any]]:
    """Yield the delta of each chunk between the first one (role) and the last one (finish reason)."""
    yield from ({"reasoning_content": piece} for piece in reasonings)
    yield from ({"content": piece} for piece in texts)
    for index, one in enumerate(reply.calls):
        head = {"index": index, "id": one.id, "type": "function", "function": {"name": one.name, "arguments": ""}}
        yield {"tool_calls": [head]}
        for piece in split_characters(one.arguments, arguments_size):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def event(data: Mapping[str, Any]) -> bytes:
    """Encode one server-sent event."""
    return b"data: " + json.dumps(data, ensure_ascii=False).encode() + b"\n\n"


class Envelope:
    """The fields that all chunks of one answer share, and the chunks built from them."""

    def __init__(self, *, answer_id: str, model: str, created: int) -> None:
        self._base = {"id": answer_id, "object": "chat.completion.chunk", "created": created, "model": model}

    def delta(self, content: Mapping[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": content, "finish_reason": finish}
        return event({**self._base, "choices": [choice]})

    def usage(self, counts: Mapping[str, Any]) -> bytes:
        return event({**self._base, "choices": [], "usage": counts})

    def whole(self, reply: Reply, counts: Mapping[str, Any]) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
        if reply.reasoning:
            message["reasoning_content"] = reply.reasoning
        if reply.calls:
            message["tool_calls"] = [
                {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
                for c in reply.calls
            ]
        choice = {"index": 0, "message": message, "finish_reason": finish_reason(reply)}
        return {**self._base, "object": "chat.completion", "choices": [choice], "usage": counts}


def error_body(message: str, *, kind: str = "invalid_request_error", code: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}
