"""Tasks that work for several requests of this process, and end when they are cancelled."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from contextvars import Context
from typing import Any, Final

CANCEL_INTERVAL: Final = 0.1  # seconds between two cancellations of a task that goes on


def start_shared(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """Start a task without the context of the current request, because the task may outlive that request. Cancelling
    the task once ends it, even if its code loses a cancellation."""
    return asyncio.get_running_loop().create_task(_supervise(work), context=Context())


async def _supervise(work: Coroutine[Any, Any, None]) -> None:
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait([task])
    finally:
        await end_task(task)
    task.result()


async def end_task(task: asyncio.Task[None]) -> None:
    """Cancel a task repeatedly until it has ended, even if the caller is cancelled as well. `asyncio.wait_for` of
    Python 3.11, which the Redis client calls, sometimes loses a cancellation."""
    while not task.done():
        task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.wait([task], timeout=CANCEL_INTERVAL)
