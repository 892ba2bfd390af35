"""Run a coroutine while a keeper publishes and saves its progress, renews the lease, and stops the work when the lease
is lost."""

import asyncio
import time
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Final, TypeVar

PUBLISH_EVERY: Final = 0.04  # seconds; see architecture.md, one step
CHECK_EVERY: Final = 0.25  # seconds
SAVE_EVERY: Final = 0.5  # seconds
RENEW_EVERY: Final = 3.0  # seconds

T = TypeVar("T")


class Keeper:
    """Callbacks that run periodically while a leased coroutine runs.

    `publish_progress` runs on the event loop. `check_lease`, `renew` (which extends the lease) and `save` (which stores
    progress) run in threads because they use the database. `check_lease` and `renew` raise LeaseLost unless this worker
    holds the lease.
    """

    async def publish_progress(self) -> None: ...

    def check_lease(self) -> None: ...

    def renew(self) -> None: ...

    def save(self) -> None: ...

    async def run(self) -> None:
        """Call the callbacks at intervals until this coroutine is cancelled. If the work ends before the first
        interval, no callback is called."""
        checked_at = saved = renewed = time.monotonic()
        while True:
            await asyncio.sleep(PUBLISH_EVERY)
            await self.publish_progress()
            now = time.monotonic()
            if now - renewed >= RENEW_EVERY:
                renewed = checked_at = now
                await asyncio.to_thread(self.renew)
            elif now - checked_at >= CHECK_EVERY:
                checked_at = now
                await asyncio.to_thread(self.check_lease)
            if now - saved >= SAVE_EVERY:
                saved = now
                await asyncio.to_thread(self.save)


async def run_with_keeper(work: Coroutine[Any, Any, T], keeper: Keeper) -> T:
    """Run a coroutine next to its keeper and return the coroutine's result. If the keeper fails, the work is cancelled
    and the keeper's error is raised."""
    task = asyncio.ensure_future(work)
    watch = asyncio.ensure_future(keeper.run())
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
