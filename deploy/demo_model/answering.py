"""Convert planned replies and scripted steps to the pieces of a streamed answer. Pure functions."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from deploy.demo_model.scripts import Step
from deploy.demo_model.timed_stream import Piece
from deploy.demo_model.wire import (
    DONE,
    Call,
    Envelope,
    Reply,
    deltas,
    error_body,
    event,
    finish_reason,
    split_characters,
    split_words,
    usage,
)

MAX_TEXT_CHUNKS: Final = 160
ARGUMENTS_CHUNK_SIZE: Final = 48  # characters of a call's arguments
GARBAGE_STREAM: Final = b'data: {"choices": [{"delta": {"cont\n\ndata: \x00\x01 not json\n\n'
HTML_PAGE: Final = "<!doctype html><html><title>Welcome</title><body>This is not a model.</body></html>"
UNFINISHED_FAULTS: Final = ("cut", "no_finish", "half_call", "error_event")  # the stream has no finish reason
CUT_FAULTS: Final = ("cut", "half_call")  # the connection is closed early


def planned_pieces(reply: Reply, body: Mapping[str, Any], envelope: Envelope, delay: float) -> list[Piece]:
    """Return the stream of a planned reply, with `delay` seconds before each chunk."""
    texts, reasonings = split_words(reply.text, MAX_TEXT_CHUNKS), split_words(reply.reasoning, MAX_TEXT_CHUNKS)
    contents = [envelope.delta({"role": "assistant", "content": ""})]
    contents += [envelope.delta(content) for content in deltas(reply, texts, reasonings, ARGUMENTS_CHUNK_SIZE)]
    return [Piece(data, delay) for data in contents] + [_last_piece(reply, body, envelope)]


def scripted_pieces(
    step: Step, reply: Reply, body: Mapping[str, Any], envelope: Envelope, wait: Callable[[], Awaitable[None]]
) -> list[Piece]:
    """Return the stream of a scripted step, with its delays and its fault. At a hold, the stream awaits `wait`."""
    sent = _with_half_call(reply) if step.fault == "half_call" else reply
    texts, reasonings = split_characters(sent.text, step.chunk_size), split_characters(sent.reasoning, step.chunk_size)
    contents = [envelope.delta({"role": "assistant", "content": ""})]
    contents += [envelope.delta(content) for content in deltas(sent, texts, reasonings, step.chunk_size)]
    if step.fault in UNFINISHED_FAULTS and step.fault != "half_call":
        contents = contents[: step.fault_after + 1]
    pieces = [Piece(data, step.chunk_delay) for data in contents]
    if step.fault == "error_event":
        pieces.append(Piece(event(json.loads(step.body) if step.body else error_body("The model is overloaded"))))
    if step.fault not in UNFINISHED_FAULTS:
        pieces.append(_last_piece(reply, body, envelope))
    return _with_hold(pieces, step, wait)


def _last_piece(reply: Reply, body: Mapping[str, Any], envelope: Envelope) -> Piece:
    wanted = (body.get("stream_options") or {}).get("include_usage")
    counts = envelope.usage(usage(body, reply)) if wanted else b""
    return Piece(envelope.delta({}, finish_reason(reply)) + counts + DONE)


def _with_hold(pieces: Sequence[Piece], step: Step, wait: Callable[[], Awaitable[None]]) -> list[Piece]:
    held_index = min(step.hold_after + bool(step.hold_after), len(pieces) - 1)
    return [replace(one, before=wait) if step.hold and n == held_index else one for n, one in enumerate(pieces)]


def _with_half_call(reply: Reply) -> Reply:
    *whole, last = reply.calls or (Call("read", '{"filePath": "README.md"}', "call_half"),)
    return replace(reply, calls=(*whole, replace(last, arguments=last.arguments[: len(last.arguments) // 2])))
