import asyncio
from typing import Any, cast

import pytest

from sandbox.ports import Process
from tools_app.languages.jsonrpc import MAX_MESSAGE_BYTES, Connection, MessageParser, ServerFailed
from tools_app.languages.protocol import to_path


def framed(body: bytes, head: bytes = b"") -> bytes:
    return b"Content-Length: %d\r\n%b\r\n%b" % (len(body), head, body)


def test_messages_come_out_of_pieces_of_any_size() -> None:
    sent = framed(b'{"id":1}') + framed(b'{"id":2}', b"Content-Type: application/vscode-jsonrpc\r\n")
    for size in (1, 7, len(sent)):
        messages, found = MessageParser(), []
        for start in range(0, len(sent), size):
            found += messages.feed(sent[start : start + size])
        assert found == [{"id": 1}, {"id": 2}]


def test_the_head_may_be_spelt_in_any_case() -> None:
    assert MessageParser().feed(b"content-length:2\r\n\r\n{}") == [{}]


@pytest.mark.parametrize(
    "sent",
    [
        b"Traceback (most recent call last):\r\n\r\n",
        b"x" * 5_000,
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length: 0\r\n\r\n",
        b"Content-Length: %d\r\n\r\n" % (MAX_MESSAGE_BYTES + 1),
        b"Content-Length: %b\r\n\r\n" % (b"9" * 4_000),
        framed(b"not json"),
        framed(b"[1, 2]"),
        framed(b"\xff\xfe"),
        framed(b"[" * 100_000),
    ],
    ids=[
        "no head",
        "no end of a head",
        "negative",
        "empty",
        "huge",
        "endless number",
        "no json",
        "a list",
        "no text",
        "deep",
    ],
)
def test_what_is_no_message_ends_the_conversation(sent: bytes) -> None:
    with pytest.raises(ServerFailed):
        MessageParser().feed(sent)


class Saying:
    """A program that sends some bytes, and then nothing more."""

    def __init__(self, words: bytes) -> None:
        self._words = [words]

    async def receive(self) -> bytes:
        if not self._words:
            await asyncio.Event().wait()
        return self._words.pop()

    async def send(self, data: bytes) -> None: ...

    def close(self) -> None: ...


async def test_nobody_waits_for_a_server_whose_words_could_not_be_taken() -> None:
    def hear(_method: str, _params: Any) -> None:
        raise UnicodeError

    connection = Connection(cast(Process, Saying(framed(b'{"method": "x"}'))))
    connection.begin(lambda _method, _params: None, hear)
    with pytest.raises(ServerFailed, match="could not be understood"):
        await connection.request("hover", {}, timeout_seconds=30.0)


@pytest.mark.parametrize("uri", ["file:///a\ud800", "file://[", "http://x/a", "file:///a%00", "a"])
def test_an_address_that_is_no_file_leads_nowhere(uri: str) -> None:
    assert to_path(uri) is None
