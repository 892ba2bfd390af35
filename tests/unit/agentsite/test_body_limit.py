"""The size of a request's body is limited."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from agentsite.http.asgi import Message, Receive, Send
from agentsite.http.body_limit import BodyLimit


async def reader(_scope: Any, receive: Receive, send: Send) -> None:
    """Read the whole body and answer with its size, unless the sender has disconnected."""
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size, more = size + len(message["body"]), message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


async def sent(pieces: Sequence[bytes], *headers: tuple[bytes, bytes]) -> tuple[list[Message], int]:
    """Send the pieces of a body; return the messages of the response, and the number of pieces that were read."""
    answers: list[Message] = []
    left = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
    left.append({"type": "http.request", "body": b"", "more_body": False})

    async def receive() -> Message:
        return left.pop(0)

    async def send(message: Message) -> None:
        answers.append(message)

    await BodyLimit(reader, max_bytes=10)({"type": "http", "headers": headers}, receive, send)
    return answers, len(pieces) + 1 - len(left)


async def test_what_fits_is_passed_on() -> None:
    answers, _ = await sent([b"12345", b"67890"], (b"content-length", b"10"))
    assert (answers[0]["status"], answers[1]["body"]) == (200, b"10")


async def test_what_says_that_it_is_too_large_is_not_read() -> None:
    answers, taken = await sent([b"12345"], (b"content-length", b"11"))
    assert (answers[0]["status"], taken) == (413, 0)
    assert json.loads(answers[1]["body"])["error"]["code"] == "too_large"


@pytest.mark.parametrize("headers", [[], [(b"content-length", b"-1")], [(b"content-length", b"3")]])
async def test_what_is_larger_than_it_says_is_given_up(headers: list[tuple[bytes, bytes]]) -> None:
    assert await sent([b"1234567"] * 100, *headers) == ([], 2)
