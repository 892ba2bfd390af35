"""The chat-completions format: a reply becomes stream chunks or one JSON answer. Pure."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

CHARACTERS_PER_TOKEN: Final = 4
TOKENS_PER_FILE: Final = 1000  # a picture or a document counts about so many with real models, whatever its bytes
FILES: Final = re.compile(r"data:[^\",;]*;base64,[A-Za-z0-9+/=]*")
WORDS: Final = re.compile(r"\s*\S+\s*")
DONE: Final = b"data: [DONE]\n\n"


@dataclass(frozen=True, slots=True)
class Call:
    """`arguments` is JSON text, or whatever a script wants to send instead."""

    name: str
    arguments: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model says in one step. `usage` and `finish` are worked out when they are not given."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[Call, ...] = ()
    finish: str = ""
    usage: Mapping[str, Any] | None = None


def call(name: str, **arguments: Any) -> Call:
    return Call(name, json.dumps(arguments, ensure_ascii=False))


def with_call_ids(reply: Reply, prefix: str) -> Reply:
    """Gives every call without an id one that is unique when `prefix` is."""
    calls = (Call(c.name, c.arguments, c.id or f"call_{prefix}_{n}") for n, c in enumerate(reply.calls))
    return Reply(reply.text, reply.reasoning, tuple(calls), reply.finish, reply.usage)


def finish_reason(reply: Reply) -> str:
    return reply.finish or ("tool_calls" if reply.calls else "stop")


def usage(body: Mapping[str, Any], reply: Reply) -> Mapping[str, Any]:
    """Tokens estimated from characters, in OpenAI's shape."""
    if reply.usage is not None:
        return reply.usage
    told = json.dumps([body.get("messages"), body.get("tools")], ensure_ascii=False)
    files, prompt_text = len(FILES.findall(told)), FILES.sub("", told)
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
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def split_words(text: str, most: int) -> Sequence[str]:
    """Pieces that join to the text again: single words, or groups of them when there would be more than `most`."""
    words = WORDS.findall(text) or ([text] if text else [])
    size = -(-len(words) // most) or 1
    return ["".join(words[start : start + size]) for start in range(0, len(words), size)]


def split_characters(text: str, size: int) -> Sequence[str]:
    if not size or len(text) <= size:
        return [text] if text else []
    return [text[start : start + size] for start in range(0, len(text), size)]


def deltas(
    reply: Reply, texts: Sequence[str], reasonings: Sequence[str], arguments_size: int
) -> Iterator[dict[str, Any]]:
    """The contents of the chunks between the role and the finish reason."""
    yield from ({"reasoning_content": piece} for piece in reasonings)
    yield from ({"content": piece} for piece in texts)
    for index, one in enumerate(reply.calls):
        head = {"index": index, "id": one.id, "type": "function", "function": {"name": one.name, "arguments": ""}}
        yield {"tool_calls": [head]}
        for piece in split_characters(one.arguments, arguments_size):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def event(data: Mapping[str, Any]) -> bytes:
    return b"data: " + json.dumps(data, ensure_ascii=False).encode() + b"\n\n"


class Envelope:
    """What all chunks of one answer share."""

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
