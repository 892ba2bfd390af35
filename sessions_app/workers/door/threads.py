"""in_thread(): let coroutines of the door call functions that query the database."""

from collections.abc import Callable
from typing import TypeVar

from asgiref.sync import sync_to_async

T = TypeVar("T")


async def in_thread(function: Callable[[], T]) -> T:
    """Call `function` in a thread, so that it does not block the event loop, and return its result."""
    return await sync_to_async(function, thread_sensitive=False)()
