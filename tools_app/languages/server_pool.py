"""The running language servers: at most one of each kind in a workspace. Each is started when first needed and stopped
when idle."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final
from weakref import WeakKeyDictionary

from sandbox.errors import SandboxError
from sandbox.ports import HOME, Runtime
from tools_app.arguments import ResolvedPath
from tools_app.languages.client import LanguageClient, Launch
from tools_app.languages.jsonrpc import ServerFailed
from tools_app.languages.programs import IMAGE_ENVIRONMENT, Consent, find_server
from tools_app.languages.project_root import project_folder
from tools_app.languages.servers import ServerSpec

IDLE_SECONDS: Final = 600.0
"""Time without use after which a server is stopped. It occupies 130 MiB (pyright) to 320 MiB (TypeScript) of the
workspace's memory."""
RETRY_AFTER_SECONDS: Final = 60.0
"""Time during which a server that failed to start is not started again."""
PACKAGE_FOLDERS: Final = (".venv/lib", "venv/lib")

_running: WeakKeyDictionary[Runtime, "RunningServers"] = WeakKeyDictionary()


def running_in(runtime: Runtime) -> "RunningServers":
    """Return the running language servers of a workspace, which all of its calls on the current event loop share."""
    servers = _running.get(runtime.unrecorded)
    if servers is None or servers.loop is not asyncio.get_running_loop():
        servers = _running[runtime.unrecorded] = RunningServers()
    return servers


class RunningServers:
    """The running language servers of one workspace, by the ids of their `ServerSpec`s."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self._clients: dict[str, asyncio.Task[LanguageClient]] = {}
        self._failures: dict[str, tuple[float, ServerFailed]] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}

    async def client_for(
        self, target: ResolvedPath, runtime: Runtime, consent: Consent
    ) -> tuple[LanguageClient, str] | None:
        """Return the client of the language server for a file, and the folder of the file's project; None if there is
        no server for the file.

        Starts the server if necessary. Raises ServerFailed if it does not start. If the caller is cancelled, the server
        continues to start.
        """
        found = await find_server(target.real, runtime, consent)
        if found is None:
            return None
        spec, program = found
        folder = await project_folder(target, spec.roots, runtime)
        starting = self._starting(spec, program, folder, runtime)
        self._restart_idle_timer(spec.id)
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
        if task and (not task.done() or _is_alive(task)):
            return task
        if spec.id in self._failures and self._failures[spec.id][0] > self.loop.time():
            raise self._failures[spec.id][1]
        starting = self._start(spec, program, folder, runtime.unrecorded)
        task = asyncio.create_task(starting, name=f"start-{spec.id}")
        task.add_done_callback(_retrieve_exception)
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
            self._failures[spec.id] = self.loop.time() + RETRY_AFTER_SECONDS, failure
            raise failure from error

    def _restart_idle_timer(self, name: str) -> None:
        if timer := self._timers.pop(name, None):
            timer.cancel()
        self._timers[name] = self.loop.call_later(IDLE_SECONDS, self._stop_idle, name)

    def _stop_idle(self, name: str) -> None:
        """Stop the server `name`, which has been idle. A server that is still starting gets more time."""
        task = self._clients.get(name)
        if task and not task.done():
            self._restart_idle_timer(name)
        else:
            self._stop(name)

    def _stop(self, name: str) -> None:
        if timer := self._timers.pop(name, None):
            timer.cancel()
        if task := self._clients.pop(name, None):
            task.cancel()
            if _is_alive(task):
                task.result().close()


async def _settings(spec: ServerSpec, folder: str, runtime: Runtime) -> Mapping[str, Any]:
    """Return the settings of a language server. For Python, the folders with the project's installed packages are
    added, so that the server need not run the project's Python interpreter to find them."""
    analysis = spec.settings.get("python", {}).get("analysis")
    if analysis is None:
        return spec.settings
    found = await asyncio.gather(
        *(_packages_in(f"{folder}/{name}", runtime) for name in PACKAGE_FOLDERS),
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


def _is_alive(task: asyncio.Task[LanguageClient]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None and task.result().is_alive


def _retrieve_exception(task: asyncio.Task[LanguageClient]) -> None:
    """Retrieve the exception of a task, so that asyncio does not log "exception was never retrieved"."""
    if not task.cancelled():
        task.exception()
