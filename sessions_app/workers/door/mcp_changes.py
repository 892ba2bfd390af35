"""Learn from remote MCP servers that their tools, prompts or resources have changed.

For a while after the last use of a server that announces changes, a guarded process stays connected to it, and the door
stores the new lists. The connection uses the headers, or the account, of the request that opened it.
"""

import asyncio
import time
import uuid
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import structlog

from sessions_app.models import McpAccount, McpServer
from sessions_app.workers.door.threads import in_thread
from tools_app.mcp.remote import Connected, RemoteAnswer

KEPT_SECONDS: Final = 600.0  # after the last use of a server
LONGEST_SECONDS: Final = 3600.0  # of one connection
MAX_KEPT: Final = 4
LOOK_SECONDS: Final = 5.0  # between two checks whether the server and the account may still be used

Store = Callable[[RemoteAnswer], Awaitable[None]]
logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class HeardServer:
    """The key of a connection to an MCP server: the server's row, the version of its settings, and the account, or None
    for a connection without an account."""

    key: uuid.UUID
    version: int
    account: uuid.UUID | None

    def still_counts(self) -> bool:
        """Return whether the connection may stay: the server is enabled with the same settings, and the account is
        usable."""
        rows = McpServer.objects.filter(pk=self.key, version=self.version, enabled=True)
        has_account = self.account is None or McpAccount.objects.filter(pk=self.account, problem="").exists()
        return has_account and rows.exists()


@dataclass(slots=True)
class _Kept:
    server: HeardServer
    task: "asyncio.Task[None]"
    until: float


class Connections:
    """The connections of one door to MCP servers, the most recently used one at the end. They belong to one event
    loop."""

    def __init__(self) -> None:
        self._kept: OrderedDict[uuid.UUID, _Kept] = OrderedDict()
        self._closing: set[asyncio.Task[None]] = set()

    def has(self, server: HeardServer) -> bool:
        """Return whether there is a connection to a server. If there is one, it stays open for `KEPT_SECONDS` from now
        on."""
        known = self._kept.get(server.key)
        if known is None or known.server != server:
            return False
        known.until = time.monotonic() + KEPT_SECONDS
        self._kept.move_to_end(server.key)
        return True

    def keep(self, server: HeardServer, store: Store, connected: Connected) -> None:
        """Keep a connection to an MCP server open, and call `store` with the lists of tools that the server announces.
        If there are too many connections, the least recently used one is closed."""
        if server.key in self._kept:
            self._end(server.key)
        while len(self._kept) >= MAX_KEPT:
            self._end(next(iter(self._kept)))
        task = asyncio.ensure_future(self._hear(server, store, connected))
        task.add_done_callback(lambda _: self._close(connected))  # also of a task that was cancelled before it began
        self._kept[server.key] = _Kept(server, task, time.monotonic() + KEPT_SECONDS)

    async def close(self) -> None:
        """End all connections to MCP servers."""
        tasks = [kept.task for kept in self._kept.values()]
        for key in list(self._kept):
            self._end(key)
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)  # the callbacks of the tasks run
        await asyncio.gather(*self._closing)

    def _end(self, key: uuid.UUID) -> None:
        self._kept.pop(key).task.cancel()

    async def _hear(self, server: HeardServer, store: Store, connected: Connected) -> None:
        changes = asyncio.ensure_future(_store_changes(server, store, connected))
        try:
            while not changes.done() and self._is_wanted(server) and await in_thread(server.still_counts):
                await asyncio.wait({changes}, timeout=LOOK_SECONDS)
            if changes.done():
                changes.result()
        except ConnectionError as error:
            logger.info("mcp_changes_not_heard_any_more", server=str(server.key), reason=str(error))
        finally:
            changes.cancel()
            if self._is_mine(server):
                del self._kept[server.key]

    def _close(self, connected: Connected) -> None:
        closing = asyncio.ensure_future(connected.close())
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    def _is_wanted(self, server: HeardServer) -> bool:
        return self._is_mine(server) and time.monotonic() < self._kept[server.key].until

    def _is_mine(self, server: HeardServer) -> bool:
        known = self._kept.get(server.key)
        return known is not None and known.task is asyncio.current_task()


async def _store_changes(server: HeardServer, store: Store, connected: Connected) -> None:
    """Store the lists that the server sends, until the connection ends or the server is no longer used. Raises
    ConnectionError."""
    found = await connected.next_change()
    while await in_thread(server.still_counts):
        await store(found)
        found = await connected.next_change()


connections: Final = Connections()
