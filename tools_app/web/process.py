"""A guarded process as its worker sees it: started for one piece of work, heard with suspicion, gone afterwards."""

import asyncio
import contextlib
import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar
from weakref import WeakKeyDictionary

import structlog

REPOSITORY: Final = Path(__file__).resolve().parent.parent.parent
LONGEST_LINE: Final = 1 << 17
LARGEST_BODY: Final = 64 << 20
LAST_WORDS: Final = 4096
LAST_SECONDS: Final = 1.0
MOST_AT_ONCE: Final = 8

Stream = TypeVar("Stream")

_places: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]] = WeakKeyDictionary()
logger = structlog.get_logger(__name__)


class ProcessFailed(Exception):
    """It ended without an answer, or answered nonsense. `late`: its time was over."""

    def __init__(self, message: str, *, late: bool = False) -> None:
        super().__init__(message)
        self.late = late


class GuardedProcess:
    """`async with` it. It has an empty environment and no descriptors but its own three; when it is over, after
    `seconds` and when the caller is cancelled it is killed. What it says is checked for form only.

    There are at most `MOST_AT_ONCE` of a worker at once; whoever comes then waits, and its seconds begin afterwards."""

    def __init__(self, module: str, *, seconds: float) -> None:
        self._module = module
        self._seconds = seconds

    async def __aenter__(self) -> Self:
        self._places = _places.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(MOST_AT_ONCE))
        await self._places.acquire()
        try:
            await self._start()
        except BaseException:
            self._places.release()
            raise
        return self

    async def _start(self) -> None:
        self._ends_at = time.monotonic() + self._seconds
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-E", "-s", "-X", "utf8", "-m", self._module),
            cwd=REPOSITORY,
            env={},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
            limit=LONGEST_LINE,
        )
        self._input = _there(self._process.stdin)
        self._output = _there(self._process.stdout)
        self._errors = _there(self._process.stderr)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await asyncio.shield(self._end(patience=0 if isinstance(error, asyncio.CancelledError) else LAST_SECONDS))
        finally:
            self._places.release()

    async def _end(self, *, patience: float) -> int:
        """Its status. One that was heard to the end is about to go by itself."""
        self._input.close()
        with contextlib.suppress(TimeoutError):
            return await asyncio.wait_for(self._process.wait(), patience)
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        return await self._process.wait()

    async def say(self, message: Mapping[str, Any]) -> None:
        self._input.write(json.dumps(message).encode() + b"\n")
        with contextlib.suppress(ConnectionError):  # why it has gone is told by `hear`
            await self._input.drain()

    async def hear(self) -> tuple[dict[str, Any], bytes]:
        """Its next line and the bytes that follow it. Raises ProcessFailed."""
        try:
            async with asyncio.timeout(self._ends_at - time.monotonic()):
                message = _message(await self._output.readline())
                body = await self._output.readexactly(_size(message))
        except TimeoutError as error:
            raise ProcessFailed("its time was over", late=True) from error
        except (ValueError, asyncio.IncompleteReadError) as error:
            raise await self._failure() from error
        return message, body

    async def _failure(self) -> ProcessFailed:
        """Why there is no answer. A process that the kernel ended computed too long, or did what it must not."""
        status = await self._end(patience=LAST_SECONDS)
        words = await self._errors.read(LAST_WORDS)
        logger.warning(
            "guarded_process_failed", module=self._module, status=status, words=words.decode("utf-8", "replace")
        )
        return ProcessFailed(f"it ended with status {status}")


def _there(stream: Stream | None) -> Stream:
    if stream is None:
        raise RuntimeError("a pipe that was asked for is not there")
    return stream


def _message(line: bytes) -> dict[str, Any]:
    message = json.loads(line)
    if not isinstance(message, dict):
        raise ValueError("no object")  # noqa: TRY004 - what it said is wrong, not what we did
    return message


def _size(message: Mapping[str, Any]) -> int:
    size = message.get("size", 0)
    if not isinstance(size, int) or not 0 <= size <= LARGEST_BODY:
        raise ValueError("no size")
    return size
