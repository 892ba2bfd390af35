"""GuardedProcess: a confined process that a worker starts for one request and whose output is not trusted."""

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
MAX_LINE_BYTES: Final = 1 << 17
MAX_BODY_BYTES: Final = 64 << 20
MAX_STDERR_BYTES: Final = 4096  # logged if the process fails
EXIT_TIMEOUT: Final = 1.0  # seconds
MAX_CONCURRENT: Final = 8  # processes of one worker

Stream = TypeVar("Stream")

_slots: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]] = WeakKeyDictionary()
logger = structlog.get_logger(__name__)


class ProcessFailed(Exception):
    """The process ended without an answer, or sent an invalid one. `late`: it ran out of time."""

    def __init__(self, message: str, *, late: bool = False) -> None:
        super().__init__(message)
        self.late = late


class GuardedProcess:
    """A confined process running `module`, as an async context manager.

    The process gets an empty environment and no open files except stdin, stdout and stderr. It is killed when the
    context ends, after `seconds`, and when the caller is cancelled. Its messages are checked for their format only.

    A worker runs at most `MAX_CONCURRENT` of them at once. Others wait for a slot; the time limit `seconds` starts
    after that.
    """

    def __init__(self, module: str, *, seconds: float) -> None:
        self._module = module
        self._seconds = seconds

    async def __aenter__(self) -> Self:
        self._slots = _slots.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(MAX_CONCURRENT))
        await self._slots.acquire()
        self._has_slot = True
        try:
            await self._start()
        except BaseException:
            self._release()
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
            limit=MAX_LINE_BYTES,
        )
        self._input = _pipe(self._process.stdin)
        self._output = _pipe(self._process.stdout)
        self._errors = _pipe(self._process.stderr)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            cancelled = isinstance(error, asyncio.CancelledError)
            await asyncio.shield(self._end(exit_timeout=0 if cancelled else EXIT_TIMEOUT))
        finally:
            self._release()

    def outlast(self, seconds: float) -> None:
        """Let the process run for `seconds` from now on, without occupying one of the slots. The caller limits the
        number of such processes."""
        self._ends_at = time.monotonic() + seconds
        self._release()

    def _release(self) -> None:
        if self._has_slot:
            self._has_slot = False
            self._slots.release()

    async def _end(self, *, exit_timeout: float) -> int:
        """Close stdin, wait `exit_timeout` seconds for the process to exit, kill it otherwise. Returns the status."""
        self._input.close()
        with contextlib.suppress(TimeoutError):
            return await asyncio.wait_for(self._process.wait(), exit_timeout)
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        return await self._process.wait()

    async def send(self, message: Mapping[str, Any]) -> None:
        """Send a line of JSON. If the process has ended, `receive` reports it."""
        self._input.write(json.dumps(message).encode() + b"\n")
        with contextlib.suppress(ConnectionError):
            await self._input.drain()

    async def receive(self) -> tuple[dict[str, Any], bytes]:
        """Return the next message and the bytes that follow it. Raises ProcessFailed."""
        try:
            async with asyncio.timeout(self._ends_at - time.monotonic()):
                message = _message(await self._output.readline())
                body = await self._output.readexactly(_size(message))
        except TimeoutError as error:
            raise ProcessFailed("it ran out of time", late=True) from error
        except (ValueError, asyncio.IncompleteReadError) as error:
            raise await self._failure() from error
        return message, body

    async def _failure(self) -> ProcessFailed:
        """Return the error for a process without an answer, and log it with the exit status and stderr.

        The kernel kills a process that computes for too long or makes a forbidden system call.
        """
        status = await self._end(exit_timeout=EXIT_TIMEOUT)
        words = await self._errors.read(MAX_STDERR_BYTES)
        logger.warning(
            "guarded_process_failed", module=self._module, status=status, words=words.decode("utf-8", "replace")
        )
        return ProcessFailed(f"it ended with status {status}")


def _pipe(stream: Stream | None) -> Stream:
    if stream is None:
        raise RuntimeError("the process has no pipe")
    return stream


def _message(line: bytes) -> dict[str, Any]:
    message = json.loads(line)
    if not isinstance(message, dict):
        raise ValueError("the message is not an object")  # noqa: TRY004 - bad data, not a programming error
    return message


def _size(message: Mapping[str, Any]) -> int:
    size = message.get("size", 0)
    if not isinstance(size, int) or not 0 <= size <= MAX_BODY_BYTES:
        raise ValueError("the size is not valid")
    return size
