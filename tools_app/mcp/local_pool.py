"""The running MCP servers of workspaces. There is one process for each server and workspace. It is started when first
needed, stopped when idle, and started again after a failure with growing delays."""

import asyncio
import importlib
import time
from collections import deque
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from sandbox.ports import Runtime
from tools_app.mcp.launch import Launch, ServerFailed

if TYPE_CHECKING:
    from tools_app.mcp.local_server import LocalServer

IDLE_SECONDS: Final = 600.0
"""Time without use after which a server is stopped, so that it does not occupy the workspace's memory."""
FIRST_RETRY_SECONDS: Final = 2.0
MAX_RETRY_SECONDS: Final = 300.0
"""A server that fails is not started again for 2 s, then 4 s, and so on, up to 5 min."""
LASTING_SECONDS: Final = 60.0  # a server that ran for this long starts with the first delay again
LOG_LINES: Final = 300
MAX_LOG_LINE_CHARACTERS: Final = 1_000

_running: WeakKeyDictionary[Runtime, "LocalServers"] = WeakKeyDictionary()


def servers_in(runtime: Runtime) -> "LocalServers":
    """Return the local MCP servers of a workspace on the current event loop."""
    servers = _running.get(runtime)
    if servers is None or servers.loop is not asyncio.get_running_loop():
        servers = _running[runtime] = LocalServers(runtime)
    return servers


class _Slot:
    """One local MCP server of a workspace: the running process, if any, and its history."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.server: LocalServer | None = None
        self.task: asyncio.Task[None] | None = None
        self.timer: asyncio.TimerHandle | None = None
        self.started_at = 0.0
        self.failures = 0
        self.retry_at = 0.0
        self.problem = ""
        self.log: deque[str] = deque(maxlen=LOG_LINES)

    def note(self, line: str) -> None:
        moment = time.strftime("%H:%M:%S", time.gmtime())
        self.log.append(f"{moment} {line[:MAX_LOG_LINE_CHARACTERS]}")

    def stop(self) -> None:
        if self.timer:
            self.timer.cancel()
            self.timer = None
        if self.server:
            self.server.stop()
        self.server = None


class LocalServers:
    """The MCP servers of one workspace, by their ids in the database."""

    def __init__(self, runtime: Runtime) -> None:
        self.loop = asyncio.get_running_loop()
        self._runtime = runtime
        self._slots: dict[str, _Slot] = {}

    async def running(self, launch: Launch) -> "LocalServer":
        """Return the running server, and start it if necessary. If its command or environment has changed, it is
        replaced by a new one. Raises ServerFailed."""
        slot = self._slots.setdefault(launch.id, _Slot())
        async with slot.lock:
            if slot.server and slot.server.is_alive and slot.server.launch == launch:
                self._restart_idle_timer(slot)
                return slot.server
            self._note_end(slot, launch)
            return await self._start(slot, launch)

    def stop(self, server_id: str) -> None:
        """Stop a server. The next use starts it again, without a delay."""
        if slot := self._slots.get(server_id):
            slot.stop()
            slot.failures, slot.retry_at = 0, 0.0

    def log_of(self, server_id: str) -> list[str]:
        """Return the history of a server in this worker, oldest first, each entry with its time (UTC)."""
        slot = self._slots.get(server_id)
        return list(slot.log) if slot else []

    def is_running(self, server_id: str) -> bool:
        slot = self._slots.get(server_id)
        return bool(slot and slot.server and slot.server.is_alive)

    def _note_end(self, slot: _Slot, launch: Launch) -> None:
        """Record that a server has ended by itself, or has other settings than `launch`, and stop the rest of it.
        Raises ServerFailed while it must not be started."""
        ended = slot.server
        if ended and ended.launch != launch:
            slot.note("its settings have changed")
            slot.failures, slot.retry_at = 0, 0.0
        elif ended:
            self._fail(slot, ended.failure or "ended")
        slot.stop()
        if (wait := slot.retry_at - self.loop.time()) > 0:
            raise ServerFailed(f"{slot.problem}. It is started again in {wait:.0f} s at the earliest")

    def _fail(self, slot: _Slot, problem: str) -> None:
        lasted = slot.started_at and self.loop.time() - slot.started_at > LASTING_SECONDS
        slot.failures = 1 if lasted else slot.failures + 1
        if slot.failures > 1 or not slot.started_at:  # after a first crash it starts again at once
            delay = min(FIRST_RETRY_SECONDS * 2 ** (slot.failures - 1), MAX_RETRY_SECONDS)
            slot.retry_at = self.loop.time() + delay
        slot.problem = problem

    async def _start(self, slot: _Slot, launch: Launch) -> "LocalServer":
        await asyncio.to_thread(importlib.import_module, "tools_app.mcp.local_server")
        from tools_app.mcp.local_server import LocalServer

        server = LocalServer(launch, slot.note)
        ready: asyncio.Future[None] = self.loop.create_future()
        slot.task = asyncio.create_task(server.serve(self._runtime, ready), name=f"mcp-{launch.name}")
        slot.started_at = 0.0
        try:
            await ready
        except ServerFailed as error:
            self._fail(slot, str(error))
            raise
        except asyncio.CancelledError:
            slot.task.cancel()
            raise
        slot.server, slot.started_at = server, self.loop.time()
        self._restart_idle_timer(slot)
        return server

    def _restart_idle_timer(self, slot: _Slot) -> None:
        if slot.timer:
            slot.timer.cancel()
        slot.timer = self.loop.call_later(IDLE_SECONDS, self._stop_idle, slot)

    def _stop_idle(self, slot: _Slot) -> None:
        if slot.server and slot.server.is_busy:
            self._restart_idle_timer(slot)
            return
        slot.note("stopped: idle")
        slot.stop()
