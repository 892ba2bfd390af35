"""One asyncio event loop in its own thread, for processes that work in threads.

Workers use it for model streams, the sandbox and publishing, so that connections are shared and no thread is blocked
while it waits.
"""

import asyncio
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class BackgroundLoop:
    """An event loop that starts on first use, and again after a fork."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pid = 0

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._pid != os.getpid():
                self._loop, self._pid = asyncio.new_event_loop(), os.getpid()
                threading.Thread(target=self._serve, args=(self._loop,), name="background-loop", daemon=True).start()
            return self._loop

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run the coroutine and return its result; the calling thread waits. Must not be called from the loop's own
        thread."""
        return self.start(coroutine).result()

    def start(self, coroutine: Coroutine[Any, Any, T]) -> "Future[T]":
        """Schedule the coroutine and return at once. The future gets its result or exception."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop)

    @staticmethod
    def _serve(loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        loop.run_forever()


background = BackgroundLoop()
