"""Work that is watched: tell and save what it produces, keep its lease, and stop it when the lease is lost."""

import asyncio
import time
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Final, TypeVar

TELL_EVERY: Final = 0.04  # seconds; architecture.md, one step
LOOK_EVERY: Final = 0.25
SAVE_EVERY: Final = 0.5
RENEW_EVERY: Final = 3.0

T = TypeVar("T")


class Keeper:
    """What is done beside the work. `tell` runs on the loop, the others in threads because they touch the database.

    `look` and `renew` raise LeaseLost when the work is not ours any more.
    """

    async def tell(self) -> None: ...

    def look(self) -> None: ...

    def renew(self) -> None: ...

    def save(self) -> None: ...

    async def keep(self) -> None:
        """Ticks until cancelled. Work shorter than the first tick costs nothing here."""
        looked = saved = renewed = time.monotonic()
        while True:
            await asyncio.sleep(TELL_EVERY)
            await self.tell()
            now = time.monotonic()
            if now - renewed >= RENEW_EVERY:
                renewed = looked = now
                await asyncio.to_thread(self.renew)
            elif now - looked >= LOOK_EVERY:
                looked = now
                await asyncio.to_thread(self.look)
            if now - saved >= SAVE_EVERY:
                saved = now
                await asyncio.to_thread(self.save)


async def run_kept(work: Coroutine[Any, Any, T], keeper: Keeper) -> T:
    """The work's result. When the keeper fails, the work is cancelled and the keeper's error is raised."""
    task = asyncio.ensure_future(work)
    watch = asyncio.ensure_future(keeper.keep())
    try:
        await asyncio.wait({task, watch}, return_when=asyncio.FIRST_COMPLETED)
        if watch.done() and not task.done():
            watch.result()
        return await task
    finally:
        for other in (task, watch):
            if not other.done():
                other.cancel()
                with suppress(asyncio.CancelledError):
                    await other
