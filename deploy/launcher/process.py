"""Run one process of the Procfile in its own process session: end it with the launcher, and write its output to the
site's log."""

import asyncio
import contextlib
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from agentsite.base.environment import REPOSITORY
from agentsite.embedded.valkey import bind_to_parent

_MIN_RESTART_DELAY: Final = 0.2  # seconds
MAX_RESTART_DELAY: Final = 10.0  # seconds
_STABLE_AFTER: Final = 30.0  # seconds of running that reset the delay
_MAX_LINE_BYTES: Final = 1024 * 1024

WriteLine = Callable[[str, str], None]


@dataclass(slots=True)
class SupervisedProcess:
    """A process that is restarted when it ends, after `max_delay` seconds at most.

    `log` receives every line of output; `announce` receives messages for the terminal.
    """

    name: str
    command: str
    environment: Mapping[str, str]
    log: WriteLine
    announce: WriteLine
    max_delay: float = MAX_RESTART_DELAY
    last_lines: deque[str] = field(default_factory=lambda: deque(maxlen=15))
    failures: int = 0
    _process: asyncio.subprocess.Process | None = None
    _stop: asyncio.Event = field(default_factory=asyncio.Event)

    async def supervise(self) -> None:
        """Run the process and restart it whenever it ends, until `stop` is called.

        The delay before a restart doubles up to `max_delay`. It is reset when the process has run for
        _STABLE_AFTER.
        """
        delay = _MIN_RESTART_DELAY
        while True:
            started = time.monotonic()
            status = await self._run_once()
            if self._stop.is_set():
                return
            if time.monotonic() - started > _STABLE_AFTER:
                delay, self.failures = _MIN_RESTART_DELAY, 0
            self.failures += 1
            self.announce(self.name, f"{_describe_exit(status)}; starting it again")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), delay)
                return
            delay = min(delay * 2, self.max_delay)

    async def _run_once(self) -> int:
        reading, writing = os.pipe()
        try:
            self._process = await asyncio.create_subprocess_exec(
                "/bin/sh",
                "-c",
                self.command,
                env=dict(self.environment),
                cwd=REPOSITORY,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=writing,
                stderr=writing,
                start_new_session=True,
                preexec_fn=_die_with_launcher,
            )
        finally:
            os.close(writing)
        copying = asyncio.create_task(self._copy_output(reading))
        # With a pipe created by asyncio, `wait` would also wait for children that still hold the other end open.
        status = await self._process.wait()
        self._signal(signal.SIGKILL)  # its remaining children, which also closes the output
        await copying
        return status

    async def _copy_output(self, reading: int) -> None:
        stream = asyncio.StreamReader(limit=_MAX_LINE_BYTES)
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(reading, "rb")
        )
        with contextlib.closing(transport):
            while True:
                try:
                    line = await stream.readline()
                except ValueError:
                    continue  # the line exceeded the limit; asyncio has dropped it
                if not line:
                    return
                text = line.decode("utf-8", "replace").rstrip()
                self.last_lines.append(text)
                self.log(self.name, text)

    def stop(self, number: signal.Signals) -> None:
        """Send a signal to the process and everything it started, and do not restart it."""
        self._stop.set()
        self._signal(number)

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)


def _die_with_launcher() -> None:
    bind_to_parent(signal.SIGKILL)


def _describe_exit(status: int) -> str:
    if status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"stopped with status {status}"
