"""Copy bytes between two connections, counted and slowed down for each workspace."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

CHUNK: Final = 1 << 18  # bytes, as many as asyncio receives at a time
IDLE_TIMEOUT: Final = 300.0  # seconds without a byte in either direction
BYTES_PER_SECOND: Final = 32 << 20
"""The limit for one workspace. A download at the full speed of this machine would delay the commands of other
workspaces."""
BURST: Final = 32 << 20  # bytes; most packages are smaller
SHORTEST_PAUSE: Final = 0.02
"""Seconds. A shorter pause is added to the next one: the same bytes in fewer turns delay short commands of other
workspaces less."""


class Meter:
    """A meter that counts the bytes a workspace receives and sends, and delays bytes above the limit per second."""

    def __init__(self, rate: float = BYTES_PER_SECOND, burst: float = BURST) -> None:
        self.received = 0
        self.sent = 0
        self._rate = rate
        self._burst = burst
        self._left = burst
        self._at = time.monotonic()

    @property
    def total(self) -> int:
        return self.received + self.sent

    async def send(self, count: int) -> None:
        """Count bytes that the workspace sends, and wait until they are allowed to pass."""
        self.sent += count
        await self._wait(count)

    async def receive(self, count: int) -> None:
        """Count bytes that the workspace receives, and wait until they are allowed to pass."""
        self.received += count
        await self._wait(count)

    async def _wait(self, count: int) -> None:
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate) - count
        self._at = now
        pause = -self._left / self._rate
        if pause >= SHORTEST_PAUSE:
            await asyncio.sleep(pause)


Count = Callable[[int], Awaitable[None]]


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, count: Count) -> None:
    """Copy bytes from `reader` to `writer` until the stream ends, then close `writer` for writing."""
    while chunk := await reader.read(CHUNK):
        await count(len(chunk))
        writer.write(chunk)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()


async def relay(
    client: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    server: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    meter: Meter,
) -> None:
    """Connect client and server until both have ended, one of them fails, or nothing passes for `IDLE_TIMEOUT`."""
    both = [
        asyncio.create_task(copy(client[0], server[1], meter.send)),
        asyncio.create_task(copy(server[0], client[1], meter.receive)),
    ]
    try:
        while both:
            before = meter.total
            done, pending = await asyncio.wait(both, timeout=IDLE_TIMEOUT, return_when=asyncio.FIRST_COMPLETED)
            both = list(pending)
            if any(task.exception() for task in done) or (not done and meter.total == before):
                return
    finally:
        for task in both:
            task.cancel()
        await asyncio.gather(*both, return_exceptions=True)
