"""The client's end of an archive: pieces go through, a few at a time, and are never collected."""

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from typing import Final

from sandbox.client import answers
from sandbox.client.answers import Fields
from sandbox.client.transport import Channel
from sandbox.errors import ProtocolError, SandboxUnavailable
from sandbox.ports import ArchiveSummary
from sandbox.runner.streams import WINDOW

PIECE: Final = 1 << 18
MARGIN: Final = 64 << 20
"""Bytes of names and headers that any archive may have beside its contents."""
LEAST_PIECE: Final = 256
"""What a piece counts for at least, so that empty ones do not come for ever."""

Sink = Callable[[bytes], Awaitable[object]]


async def receive_archive(channel: Channel, sink: Sink, *, limit: int) -> ArchiveSummary:
    """`limit`: bytes of content that were asked for. A workspace of very many small files has as much again around
    them; a runner that sends more than that would fill the disk of whoever asked."""
    room = 2 * limit + MARGIN
    while True:
        header, body = await channel.receive()
        answer = Fields(header)
        answers.raise_error(answer)
        if not answer.has("event"):
            return _to_summary(answer, state=answer.text("state"))
        room -= max(len(body), LEAST_PIECE)
        if room < 0:
            raise ProtocolError("The sandbox's runner sends more of an archive than there can be.")
        await sink(body)
        await channel.send({"event": "taken"})


async def send_archive(channel: Channel, source: AsyncIterable[bytes]) -> ArchiveSummary:
    """The runner may answer before all was sent: it refuses the rest, or needs none of it."""
    unanswered = 0
    try:
        async for piece in _pieces(source):
            await channel.send({"event": "chunk"}, piece)
            unanswered += 1
            while unanswered >= WINDOW:
                if summary := await _answered(channel):
                    return summary
                unanswered -= 1
        await channel.send({"event": "end"})
    except SandboxUnavailable:  # it closed in the middle; its last word says why
        return await _last_word(channel)
    return await _last_word(channel)


async def _last_word(channel: Channel) -> ArchiveSummary:
    while True:
        if summary := await _answered(channel):
            return summary


async def _answered(channel: Channel) -> ArchiveSummary | None:
    """None for the word that a piece was taken."""
    header, _ = await channel.receive()
    answer = Fields(header)
    answers.raise_error(answer)
    return None if answer.has("event") else _to_summary(answer)


def _to_summary(answer: Fields, *, state: str = "") -> ArchiveSummary:
    return ArchiveSummary(answer.integer("entries"), answer.integer("size"), answer.integer("left_out"), state)


async def _pieces(source: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    async for chunk in source:
        for start in range(0, len(chunk), PIECE):
            yield chunk[start : start + PIECE]
