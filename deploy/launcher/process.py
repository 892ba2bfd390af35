"""One process of the Procfile: started in a session of its own, bound to our life, its output in the site's log."""

import asyncio
import contextlib
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from agentsite.embedded.valkey import bind_to_parent
from agentsite.environment import REPOSITORY

_FIRST_PAUSE: Final = 0.2
_LONGEST_PAUSE: Final = 10.0
_STEADY_AFTER: Final = 30.0
_LONGEST_LINE: Final = 1024 * 1024

Note = Callable[[str, str], None]


@dataclass(slots=True)
class KeptProcess:
    """`log` takes every line of output, `announce` what a person should see on the terminal."""

    name: str
    command: str
    environment: Mapping[str, str]
    log: Note
    announce: Note
    last_lines: deque[str] = field(default_factory=lambda: deque(maxlen=15))
    failures: int = 0
    _process: asyncio.subprocess.Process | None = None
    _stop: asyncio.Event = field(default_factory=asyncio.Event)

    async def keep(self) -> None:
        """Run, and run again after a pause that grows while it keeps failing, until `end`."""
        pause = _FIRST_PAUSE
        while True:
            started = time.monotonic()
            status = await self._run_once()
            if self._stop.is_set():
                return
            if time.monotonic() - started > _STEADY_AFTER:
                pause, self.failures = _FIRST_PAUSE, 0
            self.failures += 1
            self.announce(self.name, f"{_ending(status)}; starting it again")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), pause)
                return
            pause = min(pause * 2, _LONGEST_PAUSE)

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
        # With a pipe of asyncio's own, this would wait for whoever still holds the other end, not for the process.
        status = await self._process.wait()
        self._signal(signal.SIGKILL)  # whatever it left behind, which also ends the output
        await copying
        return status

    async def _copy_output(self, reading: int) -> None:
        stream = asyncio.StreamReader(limit=_LONGEST_LINE)
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(reading, "rb")
        )
        with contextlib.closing(transport):
            while True:
                try:
                    line = await stream.readline()
                except ValueError:
                    continue  # a line beyond the limit; asyncio has dropped it
                if not line:
                    return
                text = line.decode("utf-8", "replace").rstrip()
                self.last_lines.append(text)
                self.log(self.name, text)

    def end(self, number: signal.Signals) -> None:
        """Signal the whole session of the process, so nothing that it started stays, and do not start it again."""
        self._stop.set()
        self._signal(number)

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)


def _die_with_launcher() -> None:
    bind_to_parent(signal.SIGKILL)


def _ending(status: int) -> str:
    if status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"stopped with status {status}"
