"""A sandbox without isolation, for unit tests only: the runner as a process of this machine and this user.

/workspace and /home/agent lie in a directory that the test chooses. Commands see the real paths (`pwd`), so tests use
relative paths and $HOME in commands. `LocalDeployment` refuses to start outside tests.
"""

import asyncio
import os
import shutil
import signal
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sandbox.client import RunnerRuntime, UnixSocketCarrier
from sandbox.errors import SandboxUnavailable
from sandbox.local_starter import Starter
from sandbox.ports import Runtime, SandboxSpec, SandboxState, SandboxStatus
from sandbox.reports import CheckReport, NodeFacts, Reaped
from sandbox.runner.privileges import SingleUser
from sandbox.runner.process_cleanup import LiveCall, signal_tree

TEST_VARIABLES: Final = ("PYTEST_CURRENT_TEST", "PYTEST_VERSION", "SANDBOX_LOCAL_FOR_TESTS")
START_TIMEOUT: Final = 20.0  # seconds
PING_INTERVAL: Final = 0.01  # seconds
FOLDERS: Final = ("files", "home", "runner")
RUNNER: Final = "sandbox.runner.__main__"

runners: Final = Starter(RUNNER)


class LocalRunner:
    """The runner's process of one sandbox. It ends when `release` closes the pipe to its standard input, or when the
    process that started it ends."""

    def __init__(self, folder: Path) -> None:
        stdin, self._stdin = os.pipe()
        arguments = ("--local", str(folder))
        self._process = runners.start(RUNNER, *arguments, environment=os.environ, files=[stdin])
        os.close(stdin)
        self.pid = self._process.pid
        self.has_ended = self._process.has_ended
        self.wait = self._process.wait

    def release(self) -> None:
        """Close the runner's stdin pipe and all its other descriptors in this process. Call this method last, and only
        once."""
        os.close(self._stdin)
        self._process.release()


class LocalDeployment:
    """A `sandbox.ports.Deployment` with one runner process for each workspace id, under `root/<workspace id>`."""

    def __init__(self, root: Path, *, for_tests: bool = False) -> None:
        if not for_tests or not any(name in os.environ for name in TEST_VARIABLES):
            raise SandboxUnavailable(
                "The local sandbox isolates nothing and is for tests only. Use the docker sandbox."
            )
        self._root = root
        self._runners: dict[str, LocalRunner] = {}
        self._lock = asyncio.Lock()

    def files_of(self, workspace_id: str) -> Path:
        """Return the directory on this machine that serves as /workspace, so that tests can inspect it."""
        return self._root / workspace_id / "files"

    async def ensure(self, spec: SandboxSpec) -> Runtime:
        async with self._lock:
            if not self._is_running(spec.workspace_id):
                await self._start(spec.workspace_id)
        folder = self._root / spec.workspace_id
        return RunnerRuntime(UnixSocketCarrier(folder / "runner" / "socket"), lambda: self.ensure(spec))

    async def report(self, workspace_id: str) -> CheckReport | None:
        """Run the self-check and return its report, or None if the sandbox does not run. The check never passes,
        because nothing is isolated."""
        if not self._is_running(workspace_id):
            return None
        return await RunnerRuntime(UnixSocketCarrier(self._root / workspace_id / "runner" / "socket")).check()

    async def facts(self) -> NodeFacts:
        machine = os.uname()
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        cpus = os.cpu_count() or 1
        return NodeFacts("local", "", machine.release, (), remapped=False, cpus=cpus, memory_bytes=memory)

    @contextmanager
    def at_full_speed(self, workspace_id: str) -> Iterator[None]:
        """Do nothing, because nothing slows a local sandbox."""
        yield

    async def stop(self, workspace_id: str) -> None:
        async with self._lock:
            if runner := self._runners.pop(workspace_id, None):
                await _end(runner)

    async def remove(self, workspace_id: str, *, files: bool) -> None:
        await self.stop(workspace_id)
        if files:
            await asyncio.to_thread(shutil.rmtree, self._root / workspace_id, ignore_errors=True)

    async def poll(self, workspace_id: str) -> SandboxStatus:
        if self._is_running(workspace_id):
            return SandboxStatus(workspace_id, SandboxState.RUNNING)
        known = workspace_id in self._runners
        return SandboxStatus(workspace_id, SandboxState.STOPPED if known else SandboxState.ABSENT)

    async def list(self) -> Sequence[SandboxStatus]:
        return [await self.poll(workspace_id) for workspace_id in sorted(self._runners)]

    async def reap(self, known: Collection[str], *, elsewhere: Collection[str] = (), grace: float = 0.0) -> Reaped:
        orphans = sorted(set(self._runners) - set(known))
        for workspace_id in orphans:
            await self.stop(workspace_id)
        return Reaped(containers=tuple(orphans))

    async def close(self) -> None:
        for workspace_id in list(self._runners):
            await self.stop(workspace_id)

    def _is_running(self, workspace_id: str) -> bool:
        runner = self._runners.get(workspace_id)
        return runner is not None and not runner.has_ended()

    async def _start(self, workspace_id: str) -> None:
        folder = self._root / workspace_id
        for name in FOLDERS:
            (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / "runner" / "socket").unlink(missing_ok=True)
        if ended := self._runners.pop(workspace_id, None):
            ended.release()
        runner = await asyncio.to_thread(LocalRunner, folder)
        self._runners[workspace_id] = runner
        await _wait_until_ready(runner, folder / "runner" / "socket")


async def _wait_until_ready(runner: LocalRunner, path: Path) -> None:
    runtime = RunnerRuntime(UnixSocketCarrier(path))
    deadline = asyncio.get_running_loop().time() + START_TIMEOUT
    while True:
        try:
            await runtime.ping()
        except SandboxUnavailable:
            if runner.has_ended() or asyncio.get_running_loop().time() > deadline:
                raise
            await asyncio.sleep(PING_INTERVAL)
        else:
            return


async def _end(runner: LocalRunner) -> None:
    if not runner.has_ended():
        signal_tree(SingleUser(), LiveCall(runner.pid, "", 0), signal.SIGKILL)
    await asyncio.to_thread(runner.wait)
    runner.release()
