"""Connections to a program's stdin and stdout, with a client or a runner that violates the protocol."""

import asyncio
import os
import select
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from sandbox.client.process import RunnerProcess
from sandbox.client.transport import Frame
from sandbox.errors import ProtocolError, SandboxLost, SandboxUnavailable
from sandbox.runner import frames
from sandbox.runner.stdio_buffers import ChannelClosed, StdioChannel
from sandbox.runner.streams import CHUNK_LIMIT, WINDOW

CHUNK = {"event": "chunk"}
TAKEN = {"event": "taken"}
END = {"ok": True, "end": "exited", "exit_code": 0}


@dataclass
class Channel:
    """A fake channel to a runner. It receives these frames, and then nothing, or SandboxUnavailable if `hangs_up`."""

    frames: list[Frame]
    hangs_up: bool = False
    sent: list[Frame] = field(default_factory=list)

    async def send(self, header: dict[str, Any], body: bytes = b"") -> None:
        self.sent.append((header, body))

    async def receive(self) -> Frame:
        if self.frames:
            return self.frames.pop(0)
        if self.hangs_up:
            raise SandboxUnavailable("gone")
        await asyncio.Event().wait()
        raise AssertionError

    def close(self) -> None: ...


async def everything(process: RunnerProcess) -> bytes:
    said = b""
    async with asyncio.timeout(5):
        while chunk := await process.receive():
            said += chunk
    return said


async def test_what_was_said_before_the_end_is_heard() -> None:
    process = RunnerProcess(Channel([(CHUNK, b"a"), (CHUNK, b"b"), (END, b"words")]))
    assert await everything(process) == b"ab"
    assert process.end
    assert process.end.words == b"words"
    assert await process.receive() == b""


@pytest.mark.parametrize(
    "said",
    [
        [(CHUNK, b"x")] * (WINDOW + 1),
        [(CHUNK, bytes(CHUNK_LIMIT + 1))],
        [(TAKEN, b"")],
        [({"event": "other"}, b"")],
        [({"event": 1}, b"")],
        [({"ok": True}, b"")],
        [({**END, "end": "because"}, b"")],
        [({**END, "exit_code": True}, b"")],
    ],
    ids=["too many", "too large", "taken unasked", "unknown", "no word", "no end", "unknown end", "no code"],
)
async def test_a_runner_that_breaks_the_rules_is_left(said: list[Frame]) -> None:
    process = RunnerProcess(Channel(list(said)))
    await asyncio.sleep(0)
    with pytest.raises(ProtocolError):
        await everything(process)


async def test_a_sandbox_that_goes_away_is_told_to_whoever_waits() -> None:
    process = RunnerProcess(Channel([], hangs_up=True))
    with pytest.raises(SandboxLost):
        await everything(process)
    for _ in range(2 * WINDOW):
        with pytest.raises(SandboxLost):
            await process.send(b"x")


async def test_no_more_is_said_than_the_window_has_room_for() -> None:
    channel = Channel([])
    process = RunnerProcess(channel)
    speaking = asyncio.create_task(process.send(b"x" * (1 << 18) * (WINDOW + 3)))
    while len(channel.sent) < WINDOW:
        await asyncio.sleep(0)
    for _ in range(20):
        await asyncio.sleep(0)
    assert len(channel.sent) == WINDOW
    process.close()
    with pytest.raises(SandboxLost):
        await speaking


class Finished:
    """A stub of a finished job, with an exit code."""

    exit_code = 3
    reason = ""


class NoWords:
    kept = b"why"


@contextmanager
def dialogue() -> Iterator[tuple[StdioChannel, socket.socket, int, int]]:
    """Yield a channel to a program, the client's socket, and the file descriptors that stand for the program's stdin
    and stdout."""
    ours, client = socket.socketpair()
    stdin, to_program = os.pipe()
    from_program, stdout = os.pipe()
    os.set_blocking(to_program, False)
    os.set_blocking(from_program, False)
    made = StdioChannel(Finished(), NoWords(), to_program, from_program, ours)  # type: ignore[arg-type]
    try:
        yield made, client, stdin, stdout
    finally:
        made.close()
        client.close()
        os.close(stdin)
        os.close(stdout)


def listener(made: StdioChannel) -> tuple[int, int]:
    return made._connection.fileno(), select.EPOLLIN


@pytest.mark.parametrize(
    ("header", "body"),
    [
        ({"event": "chunk"}, bytes(CHUNK_LIMIT + 1)),
        ({"event": "x" * 2_000}, b""),
        ({"event": "taken"}, b""),
        ({"event": "other"}, b""),
        ({}, b""),
    ],
    ids=["too large", "long head", "taken unasked", "unknown", "no word"],
)
def test_a_client_that_breaks_the_rules_is_left(header: dict[str, Any], body: bytes) -> None:
    with dialogue() as (made, client, _, _):
        client.settimeout(0.0)
        client.send((frames.encode_head(header, len(body)) + body)[:60_000])
        with pytest.raises(frames.FrameError):
            made.transfer(listener(made))


def test_a_client_that_says_more_than_the_window_is_left() -> None:
    with dialogue() as (made, client, _, _):
        piece = frames.encode_head(CHUNK, 60_000) + bytes(60_000)

        def say_much() -> None:
            for _ in range(WINDOW + 4):
                client.send(piece)
                made.transfer(listener(made))

        with pytest.raises(frames.FrameError):
            say_much()


def test_a_client_that_hangs_up_ends_it() -> None:
    with dialogue() as (made, client, _, _):
        client.shutdown(socket.SHUT_RDWR)
        with pytest.raises(ChannelClosed):
            made.transfer(listener(made))


def test_a_program_that_nobody_listens_to_is_not_read_beyond_the_window() -> None:
    with dialogue() as (made, _, _, stdout):
        for _ in range(WINDOW):
            os.write(stdout, b"x")
            made.transfer((made._from_program, select.EPOLLIN))
        assert made._from_program not in made.wanted()


def test_the_last_words_come_after_all_that_was_said() -> None:
    with dialogue() as (made, client, _, stdout):
        os.write(stdout, b"bye")
        made.is_over = True
        with pytest.raises(ChannelClosed):
            made.transfer(None)
        assert frames.receive(client) == (CHUNK, b"bye")
        assert frames.receive(client) == ({"ok": True, "end": "exited", "exit_code": 3}, b"why")
