"""Send and receive archives piece by piece, so that no archive is held in memory."""

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from typing import Final

from sandbox.client import answers
from sandbox.client.answers import Fields
from sandbox.client.transport import Channel
from sandbox.errors import ProtocolError, SandboxUnavailable
from sandbox.ports import ArchiveSummary
from sandbox.runner.streams import WINDOW

PIECE_BYTES: Final = 1 << 20  # a larger piece is split; as many as a runner accepts
OVERHEAD_BYTES: Final = 64 << 20
"""Bytes of names and headers that every archive may have in addition to its contents."""
MIN_PIECE_COST: Final = 256
"""Bytes that each piece counts for at least, so that a runner cannot send empty pieces forever."""

Sink = Callable[[bytes], Awaitable[object]]


async def receive_archive(channel: Channel, sink: Sink, *, limit: int) -> ArchiveSummary:
    """Receive an archive and write each piece to `sink`.

    `limit` is the number of bytes of content that were requested. The headers of very many small files can take as many
    bytes again. Raises ProtocolError if the runner sends more than that, because it could fill the caller's disk.
    """
    budget = 2 * limit + OVERHEAD_BYTES
    while True:
        header, body = await channel.receive()
        answer = Fields(header)
        answers.raise_error(answer)
        if not answer.has("event"):
            return _to_summary(answer, state=answer.text("state"))
        budget -= max(len(body), MIN_PIECE_COST)
        if budget < 0:
            raise ProtocolError("The sandbox's runner sent more archive data than the limit allows.")
        await sink(body)
        await channel.send({"event": "taken"})


async def send_archive(channel: Channel, source: AsyncIterable[bytes]) -> ArchiveSummary:
    """Send an archive and return the runner's summary.

    The runner may answer before everything was sent, because it refused the archive or does not need the rest.
    """
    unanswered = 0
    try:
        async for piece in _pieces(source):
            await channel.send({"event": "chunk"}, piece)
            unanswered += 1
            while unanswered >= WINDOW:
                if summary := await _next_answer(channel):
                    return summary
                unanswered -= 1
        await channel.send({"event": "end"})
    except SandboxUnavailable:  # the runner closed the connection; its final answer contains the reason
        return await _final_answer(channel)
    return await _final_answer(channel)


async def _final_answer(channel: Channel) -> ArchiveSummary:
    while True:
        if summary := await _next_answer(channel):
            return summary


async def _next_answer(channel: Channel) -> ArchiveSummary | None:
    """Receive one frame of the runner's answer. Returns the summary, or None if the frame only acknowledges a chunk of
    the archive."""
    header, _ = await channel.receive()
    answer = Fields(header)
    answers.raise_error(answer)
    return None if answer.has("event") else _to_summary(answer)


def _to_summary(answer: Fields, *, state: str = "") -> ArchiveSummary:
    return ArchiveSummary(answer.integer("entries"), answer.integer("size"), answer.integer("left_out"), state)


async def _pieces(source: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    async for chunk in source:
        for start in range(0, len(chunk), PIECE_BYTES):
            yield chunk[start : start + PIECE_BYTES]
