"""Start all processes of a site in parallel, wait until they are ready, and stop them within seconds."""

import asyncio
import contextlib
import signal
import urllib.error
import urllib.request
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from agentsite.base.environment import REPOSITORY, site_label
from deploy.launcher.engine import SiteEngine
from deploy.launcher.plan import LaunchError, SitePlan, database_fingerprint
from deploy.launcher.process import MAX_RESTART_DELAY, SupervisedProcess
from deploy.launcher.screen import Screen
from sandbox.disk.workspace_disks import release_all

_PYTHON: Final = str(REPOSITORY / ".venv" / "bin" / "python")
_DOOR_DELAY: Final = 1.0  # seconds until a restart at most: programs in workspaces wait for it
_READY_TIMEOUT: Final = 90.0  # seconds
_TERM_TIMEOUT: Final = 3.0  # seconds until KILL
_MAX_FAILURES: Final = 5  # restarts in a row
_SHOWN_ON_TERMINAL: Final = ("engine", "image")  # slow commands with little output
_AFTER_DATABASE: Final = ("web", "preview", "agent", "beat")  # processes that need the migrated database


class Site:
    """A site that runs on this machine, with one supervised process per part."""

    def __init__(self, plan: SitePlan, screen: Screen) -> None:
        self._plan = plan
        self._screen = screen
        self._processes: dict[str, SupervisedProcess] = {}
        self._supervisors: list[asyncio.Task[None]] = []
        self._database_ready = asyncio.Event()
        label = f"agentsite.site={site_label(plan.state)}"
        self._engine = SiteEngine(lambda command: self._command("engine", command, role="sandbox"), screen.say, label)

    async def start(self) -> None:
        """Start all parts and return when all of them are ready. Raises LaunchError if one cannot start."""
        self._start_processes("valkey", "model")
        try:
            async with asyncio.TaskGroup() as parts:
                parts.create_task(self._start_after_database())
                parts.create_task(self._start_sandboxes())
        except* LaunchError as failures:
            raise failures.exceptions[0] from None
        await self._wait_until_ready()

    async def _start_after_database(self) -> None:
        await self._prepare_database()
        self._database_ready.set()
        self._start_processes(*_AFTER_DATABASE)

    async def _prepare_database(self) -> None:
        stamp = self._plan.state / "database.stamp"
        fingerprint = database_fingerprint(self._plan)
        database = self._plan.state / "db.sqlite3"
        if database.exists() and not self._plan.base.get("DATABASE_URL") and _read_text(stamp) == fingerprint:
            return
        self._screen.say("database", "migrating")
        await self._command("database", [_PYTHON, "manage.py", "prepare_site"])
        stamp.write_text(fingerprint)

    async def _start_sandboxes(self) -> None:
        """Start the engine, build the image, and start the sandbox worker and the door.

        Without an engine, the site still runs, and each workspace shows what is missing.
        """
        try:
            docker_host = await self._engine.start()
            self._plan = replace(self._plan, base={**self._plan.base, "DOCKER_HOST": docker_host})
            image = await self._command("image", [_PYTHON, "-m", "sandbox.image"], role="sandbox")
            self._plan = replace(self._plan, base={**self._plan.base, "SANDBOX_IMAGE": image.strip().splitlines()[-1]})
        except LaunchError as error:
            self._screen.say("engine", f"no sandboxes: {error}")
        await self._database_ready.wait()
        self._start_processes("sandbox", "door")

    async def _command(self, name: str, command: Sequence[str], *, role: str = "manage") -> str:
        """Run a command to its end and return its standard output. Standard error is logged line by line."""
        write_line = self._screen.say if name in _SHOWN_ON_TERMINAL else self._screen.log
        process = await self._spawn(command, role)
        assert process.stdout is not None
        assert process.stderr is not None
        last = ""
        try:
            reading = asyncio.create_task(process.stdout.read())
            while line := await process.stderr.readline():
                last = line.decode("utf-8", "replace").rstrip() or last
                write_line(name, last)
            answer = (await reading).decode("utf-8", "replace")
            status = await process.wait()
        except asyncio.CancelledError:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            raise
        if status:
            raise LaunchError(f"{last or answer.strip()[-300:] or 'failed without output'} (see {self._plan.log_file})")
        return answer

    async def _spawn(self, command: Sequence[str], role: str) -> asyncio.subprocess.Process:
        try:
            return await asyncio.create_subprocess_exec(
                *command,
                cwd=REPOSITORY,
                env=self._plan.environment_of(role),
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise LaunchError(f"{command[0]} cannot be started: {error.strerror}") from error

    def _has(self, name: str) -> bool:
        return name in self._processes

    def _start_processes(self, *names: str) -> None:
        for name in names:
            if name not in self._plan.commands or self._has(name):
                continue
            environment = self._plan.environment_of(name)
            process = SupervisedProcess(
                name,
                self._plan.commands[name],
                environment,
                self._screen.log,
                self._screen.say,
                _DOOR_DELAY if name == "door" else MAX_RESTART_DELAY,
            )
            self._processes[name] = process
            self._supervisors.append(asyncio.create_task(process.supervise(), name=name))

    async def _wait_until_ready(self) -> None:
        deadline = asyncio.get_running_loop().time() + _READY_TIMEOUT
        urls = [f"{self._plan.address}/api/v1/health/ready"]
        if self._has("model"):
            urls.append(self._plan.base["DEMO_MODEL_URL"] + "/models")
        while urls:
            self._raise_if_failing()
            problem = await asyncio.to_thread(_problem_at, urls[0])
            if not problem:
                urls.pop(0)
            elif asyncio.get_running_loop().time() > deadline:
                raise LaunchError(
                    f"The site is not ready after {_READY_TIMEOUT:.0f} s: {problem}. See {self._plan.log_file}."
                )
            else:
                await asyncio.sleep(0.1)

    def _raise_if_failing(self) -> None:
        for process in self._processes.values():
            if process.failures >= _MAX_FAILURES:
                lines = "\n  ".join(process.last_lines)
                raise LaunchError(f"The process '{process.name}' does not stay up. Its last output:\n  {lines}")

    async def stop(self) -> None:
        """Stop all processes: TERM first, KILL after some seconds.

        Valkey is last, because the others need it until they end.
        """
        await self._stop_processes(name for name in self._processes if name != "valkey")
        await self._stop_processes(name for name in self._processes if name == "valkey")
        await self._engine.stop()
        await self._unmount_workspaces()

    async def _unmount_workspaces(self) -> None:
        try:
            await asyncio.to_thread(release_all, self._plan.state / "workspaces")
        except OSError as error:
            self._screen.say("disk", f"a workspace could not be unmounted: {error}")

    async def _stop_processes(self, names: Iterable[str]) -> None:
        processes = {name: self._processes[name] for name in names}
        supervisors = [supervisor for supervisor in self._supervisors if supervisor.get_name() in processes]
        for number, timeout in ((signal.SIGTERM, _TERM_TIMEOUT), (signal.SIGKILL, 1.0)):
            for process in processes.values():
                process.stop(number)
            if supervisors:
                await asyncio.wait(supervisors, timeout=timeout)


def _read_text(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


def _problem_at(url: str) -> str:
    """Return the reason why the part of the site at this address is not ready; "" if it is ready."""
    try:
        with urllib.request.urlopen(url, timeout=5):
            return ""
    except urllib.error.HTTPError as error:
        return error.read().decode("utf-8", "replace")[:500]
    except OSError as error:
        return str(error)
