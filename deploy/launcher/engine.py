"""The site's container engine: find a running one or start one, restart it if it dies, and stop it with the site."""

import asyncio
import contextlib
import http.client
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from agentsite.base.environment import REPOSITORY
from deploy.launcher.plan import LaunchError
from sandbox.engine import api

_PROGRAM: Final = str(REPOSITORY / "deploy" / "bin" / "engine")
_CHECK_INTERVAL: Final = 2.0  # seconds

Command = Callable[[Sequence[str]], Awaitable[str]]
Announce = Callable[[str, str], None]


class SiteEngine:
    """The container engine of the site: one that is already running, or else a private one that this object starts.

    `command` runs a program to its end and returns its standard output. `label` is the label of this site's containers.
    Stopping ends this site's containers, and the engine only if it is the private one.
    """

    def __init__(self, command: Command, announce: Announce, label: str) -> None:
        self._command = command
        self._announce = announce
        self._label = label
        self._found: str | None = None
        self._watch: asyncio.Task[None] | None = None

    async def start(self) -> str:
        """Return the address of a running engine, after starting a private one if none answers.

        Raises LaunchError, whose message says why the engine cannot be started.
        """
        found = await asyncio.to_thread(api.running_engine)
        if found is not None:
            self._found = found
            return found
        host = _last_line(await self._command([_PROGRAM, "start"]))
        self._watch = asyncio.create_task(self._supervise(host))
        return host

    async def stop(self) -> None:
        """Stop all containers of the site, and the engine if this object started it."""
        if self._found is not None:
            with contextlib.suppress(OSError, http.client.HTTPException):
                await asyncio.to_thread(api.kill_containers, self._found, self._label)
        if self._watch is None:
            return
        self._watch.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._watch
        with contextlib.suppress(LaunchError):
            await self._command([_PROGRAM, "stop"])

    async def _supervise(self, host: str) -> None:
        """Restart the engine when it stops answering. Workspaces recover automatically once it answers again."""
        while True:
            await asyncio.sleep(_CHECK_INTERVAL)
            if await asyncio.to_thread(api.answers, host):
                continue
            self._announce("engine", "does not answer; starting it again")
            try:
                await self._command([_PROGRAM, "start"])
            except LaunchError as error:
                self._announce("engine", f"cannot be started: {error}")


def _last_line(text: str) -> str:
    return text.strip().splitlines()[-1] if text.strip() else ""
