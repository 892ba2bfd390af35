"""The language servers that run: one of each kind in a workspace, started when first wanted, stopped when idle."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final
from weakref import WeakKeyDictionary

from sandbox.errors import SandboxError
from sandbox.ports import HOME, Runtime
from tools_app.arguments import Place
from tools_app.languages.client import LanguageClient, Launch
from tools_app.languages.jsonrpc import ServerFailed
from tools_app.languages.programs import IMAGE_ENVIRONMENT, Consent, find_server
from tools_app.languages.project_root import project_folder
from tools_app.languages.servers import ServerSpec

IDLE: Final = 600.0
"""Seconds without use after which a server is stopped. One holds 130 MiB (pyright) to 320 MiB (TypeScript) of the
workspace's memory."""
REST: Final = 60.0
"""Seconds for which a server that failed to start is not tried again."""
PACKAGES_OF: Final = (".venv/lib", "venv/lib")

_running: WeakKeyDictionary[Runtime, "RunningServers"] = WeakKeyDictionary()


def running_in(runtime: Runtime) -> "RunningServers":
    """Those of one workspace, on the loop that asks."""
    servers = _running.get(runtime)
    if servers is None or servers.loop is not asyncio.get_running_loop():
        servers = _running[runtime] = RunningServers()
    return servers


class RunningServers:
    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self._clients: dict[str, asyncio.Task[LanguageClient]] = {}
        self._failures: dict[str, tuple[float, ServerFailed]] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}

    async def client_for(self, place: Place, runtime: Runtime, consent: Consent) -> tuple[LanguageClient, str] | None:
        """The server that knows files like this one, and the folder of the file's project. None when there is none.

        ServerFailed when there is one that does not start. Whoever stops waiting does not stop it from starting.
        """
        found = await find_server(place.real, runtime, consent)
        if found is None:
            return None
        spec, program = found
        folder = await project_folder(place, spec.roots, runtime)
        starting = self._starting(spec, program, folder, runtime)
        self._keep_awake(spec.id)
        try:
            return await asyncio.shield(starting), folder
        except asyncio.CancelledError:
            if starting.cancelled():
                raise ServerFailed(f"{spec.id} was stopped") from None
            raise

    def stop(self) -> None:
        for name in list(self._clients):
            self._stop(name)

    def _starting(self, spec: ServerSpec, program: str, folder: str, runtime: Runtime) -> asyncio.Task[LanguageClient]:
        task = self._clients.get(spec.id)
        if task and (not task.done() or _is_living(task)):
            return task
        if spec.id in self._failures and self._failures[spec.id][0] > self.loop.time():
            raise self._failures[spec.id][1]
        task = asyncio.create_task(self._start(spec, program, folder, runtime), name=f"start-{spec.id}")
        task.add_done_callback(_look_at)
        self._clients[spec.id] = task
        return task

    async def _start(self, spec: ServerSpec, program: str, folder: str, runtime: Runtime) -> LanguageClient:
        try:
            settings = await _settings(spec, folder, runtime)
            argv = (program, *spec.argv[1:])
            return await LanguageClient.start(
                Launch(spec, argv, {**IMAGE_ENVIRONMENT, **spec.env}, folder, settings), runtime
            )
        except (ServerFailed, SandboxError) as error:
            failure = ServerFailed(f"{spec.id} {_reason(error)}")
            self._failures[spec.id] = self.loop.time() + REST, failure
            raise failure from error

    def _keep_awake(self, name: str) -> None:
        if timer := self._timers.pop(name, None):
            timer.cancel()
        self._timers[name] = self.loop.call_later(IDLE, self._stop_idle, name)

    def _stop_idle(self, name: str) -> None:
        """One that still starts has not been idle."""
        task = self._clients.get(name)
        if task and not task.done():
            self._keep_awake(name)
        else:
            self._stop(name)

    def _stop(self, name: str) -> None:
        if timer := self._timers.pop(name, None):
            timer.cancel()
        if task := self._clients.pop(name, None):
            task.cancel()
            if _is_living(task):
                task.result().close()


async def _settings(spec: ServerSpec, folder: str, runtime: Runtime) -> Mapping[str, Any]:
    """With the packages that the project has installed: they are read, and no interpreter of the project is run."""
    analysis = spec.settings.get("python", {}).get("analysis")
    if analysis is None:
        return spec.settings
    found = await asyncio.gather(
        *(_packages_in(f"{folder}/{name}", runtime) for name in PACKAGES_OF),
        _packages_in(f"{HOME}/.local/lib", runtime),
    )
    paths = [path for paths in found for path in paths]
    return {"python": {"analysis": {**analysis, "extraPaths": paths}}}


async def _packages_in(folder: str, runtime: Runtime) -> list[str]:
    stat = await runtime.stat(folder)
    if not stat.exists or stat.kind != "directory":
        return []
    versions = await runtime.list(stat.real_path, limit=100)
    return [f"{version.path}/site-packages" for version in versions if version.kind == "directory"]


def _reason(error: ServerFailed | SandboxError) -> str:
    return error.message if isinstance(error, ServerFailed) else f"does not start: {error.message}"


def _is_living(task: asyncio.Task[LanguageClient]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None and task.result().is_living


def _look_at(task: asyncio.Task[LanguageClient]) -> None:
    """So that a failure nobody waited for is not told as one that was forgotten."""
    if not task.cancelled():
        task.exception()
