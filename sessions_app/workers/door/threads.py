"""in_thread(): query the database from coroutines of the door."""

from collections.abc import Callable
from typing import TypeVar

from asgiref.sync import sync_to_async

T = TypeVar("T")


async def in_thread(function: Callable[[], T]) -> T:
    """Return the result of `function`, called in a thread of its own."""
    return await sync_to_async(function, thread_sensitive=False)()
