"""The site's container engine: found or started with the site, started again when it dies, stopped with the site."""

import asyncio
import contextlib
import http.client
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from agentsite.environment import REPOSITORY
from deploy.launcher.plan import LaunchError
from sandbox.engine import api

_PROGRAM: Final = str(REPOSITORY / "deploy" / "bin" / "engine")
_LOOK_EVERY: Final = 2.0

Command = Callable[[Sequence[str]], Awaitable[str]]
Announce = Callable[[str, str], None]


class SiteEngine:
    """`command` runs a program to its end and gives what it printed; `label` is on this site's containers. An engine
    that was there before goes on without them."""

    def __init__(self, command: Command, announce: Announce, label: str) -> None:
        self._command = command
        self._announce = announce
        self._label = label
        self._found: str | None = None
        self._watch: asyncio.Task[None] | None = None

    async def start(self) -> str:
        """The address of an engine that answers. Raises LaunchError with what is missing."""
        found = await asyncio.to_thread(api.running_engine)
        if found is not None:
            self._found = found
            return found
        host = _last_line(await self._command([_PROGRAM, "start"]))
        self._watch = asyncio.create_task(self._keep(host))
        return host

    async def stop(self) -> None:
        """No container of the site runs any more."""
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

    async def _keep(self, host: str) -> None:
        """Workspaces come back by themselves once their engine answers again."""
        while True:
            await asyncio.sleep(_LOOK_EVERY)
            if await asyncio.to_thread(api.answers, host):
                continue
            self._announce("engine", "does not answer; starting it again")
            try:
                await self._command([_PROGRAM, "start"])
            except LaunchError as error:
                self._announce("engine", f"cannot be started: {error}")


def _last_line(text: str) -> str:
    return text.strip().splitlines()[-1] if text.strip() else ""
