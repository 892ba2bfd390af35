"""Fork guarded processes for MCP servers from a process that has loaded the SDK, which takes 2 s of CPU.

A test with the mark `cold` starts them as the site does.
"""

import asyncio
import os
import signal
import time
from typing import Any, Final, Self

import pytest

from sandbox.local_starter import Started, Starter
from tools_app.mcp import remote
from tools_app.mcp.oauth import orders as sign_in
from tools_app.mcp.search_process import LAZY_IMPORTS
from tools_app.web import searching
from tools_app.web.process import MAX_LINE_BYTES, GuardedProcess

PROGRAMS: Final = (remote.PROGRAM, sign_in.PROGRAM, searching.PROGRAM)
UNKNOWN_STATUS: Final = -1  # only a parent learns it

starter: Final = Starter(*PROGRAMS, *LAZY_IMPORTS, flags=("-E", "-s", "-X", "utf8"))


class Forked:
    """A forked process with the part of the interface of `asyncio.subprocess.Process` that guarded processes use."""

    stdin: asyncio.StreamWriter
    stdout: asyncio.StreamReader
    stderr: asyncio.StreamReader

    def __init__(self, process: Started) -> None:
        self._process = process
        self._is_over = False

    @classmethod
    async def start(cls, module: str) -> Self:
        pipes = [os.pipe() for _ in range(3)]
        (stdin, ours), (stdout_end, stdout), (stderr_end, stderr) = pipes
        files = [stdin, stdout, stderr]
        forked = cls(await asyncio.to_thread(starter.start, module, environment={}, files=files))
        for descriptor in files:
            os.close(descriptor)
        forked.stdin = await _writer(ours)
        forked.stdout, forked.stderr = await _reader(stdout_end), await _reader(stderr_end)
        return forked

    def kill(self) -> None:
        signal.pidfd_send_signal(self._process.pidfd, signal.SIGKILL)

    async def wait(self) -> int:
        if not self._is_over:
            loop = asyncio.get_running_loop()
            ended = asyncio.Event()
            loop.add_reader(self._process.pidfd, ended.set)
            try:
                await ended.wait()
            finally:
                loop.remove_reader(self._process.pidfd)
            self._is_over = True
            self._process.release()
        return UNKNOWN_STATUS


async def _writer(descriptor: int) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, os.fdopen(descriptor, "wb"))
    return asyncio.StreamWriter(transport, protocol, None, loop)


async def _reader(descriptor: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=MAX_LINE_BYTES)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(descriptor, "rb")
    )
    return reader


@pytest.fixture
def warm_processes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork guarded processes for MCP servers from a process that has already loaded the SDK, unless the test is marked
    `cold`."""
    if request.node.get_closest_marker("cold"):
        return
    start = GuardedProcess._start

    async def start_warm(process: Any) -> None:
        if process._module not in PROGRAMS:
            await start(process)
            return
        process._ends_at = time.monotonic() + process._seconds
        process._process = forked = await Forked.start(process._module)
        process._input, process._output, process._errors = forked.stdin, forked.stdout, forked.stderr

    monkeypatch.setattr(GuardedProcess, "_start", start_warm)
