"""A sandbox without walls, for unit tests only: the runner as a process of this machine and this user.

/workspace and /home/agent of the interface lie in a directory of the test's choice. Commands see the real paths
(`pwd`), so tests use relative paths and $HOME in them. Refuses to start outside tests.
"""

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

from sandbox.client import RunnerRuntime, UnixSocketCarrier
from sandbox.errors import SandboxUnavailable
from sandbox.ports import Runtime, SandboxSpec, SandboxState, SandboxStatus
from sandbox.reports import CheckReport, NodeFacts, Reaped
from sandbox.runner.privileges import Single
from sandbox.runner.process_cleanup import LiveCall, end_tree

TEST_MARKS: Final = ("PYTEST_CURRENT_TEST", "PYTEST_VERSION", "SANDBOX_LOCAL_FOR_TESTS")
REPOSITORY: Final = Path(__file__).resolve().parent.parent
START_DEADLINE: Final = 20.0
START_PAUSE: Final = 0.01
FOLDERS: Final = ("files", "home", "runner")


class LocalDeployment:
    """Implements `sandbox.ports.Deployment`: one runner process for each workspace id, under `root/<workspace id>`."""

    def __init__(self, root: Path, *, for_tests: bool = False) -> None:
        if not for_tests or not any(mark in os.environ for mark in TEST_MARKS):
            raise SandboxUnavailable("The local sandbox has no walls; it is for tests only. Use the docker sandbox.")
        self._root = root
        self._runners: dict[str, asyncio.subprocess.Process] = {}
        self._lock = asyncio.Lock()

    def files_of(self, workspace_id: str) -> Path:
        """Where /workspace of it lies, for tests to look at."""
        return self._root / workspace_id / "files"

    async def ensure(self, spec: SandboxSpec) -> Runtime:
        async with self._lock:
            if not self._is_running(spec.workspace_id):
                await self._start(spec.workspace_id)
        folder = self._root / spec.workspace_id
        return RunnerRuntime(UnixSocketCarrier(folder / "runner" / "socket"), lambda: self.ensure(spec))

    async def report(self, workspace_id: str) -> CheckReport | None:
        """Never a passed one: nothing holds here."""
        if not self._is_running(workspace_id):
            return None
        return await RunnerRuntime(UnixSocketCarrier(self._root / workspace_id / "runner" / "socket")).check()

    async def facts(self) -> NodeFacts:
        machine = os.uname()
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        cpus = os.cpu_count() or 1
        return NodeFacts("local", "", machine.release, (), remapped=False, cpus=cpus, memory_bytes=memory)

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
        return runner is not None and runner.returncode is None

    async def _start(self, workspace_id: str) -> None:
        folder = self._root / workspace_id
        for name in FOLDERS:
            (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / "runner" / "socket").unlink(missing_ok=True)
        runner = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            f"import sys; sys.path.insert(0, {str(REPOSITORY)!r}); from sandbox.runner.__main__ import main; main()",
            "--local",
            str(folder),
            stdin=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        self._runners[workspace_id] = runner
        await _wait_until_it_answers(runner, folder / "runner" / "socket")


async def _wait_until_it_answers(runner: asyncio.subprocess.Process, path: Path) -> None:
    runtime = RunnerRuntime(UnixSocketCarrier(path))
    give_up = asyncio.get_running_loop().time() + START_DEADLINE
    while True:
        try:
            await runtime.ping()
        except SandboxUnavailable:
            if runner.returncode is not None or asyncio.get_running_loop().time() > give_up:
                raise
            await asyncio.sleep(START_PAUSE)
        else:
            return


async def _end(runner: asyncio.subprocess.Process) -> None:
    if runner.returncode is None:
        end_tree(Single(), LiveCall(runner.pid, "", 0), signal.SIGKILL)
    await runner.wait()
