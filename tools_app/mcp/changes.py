"""Notice when a connected MCP server says that its tools, prompts or resources have changed."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final

from mcp import Client, MCPError
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp_types import PromptListChangedNotification, ResourceListChangedNotification, ToolListChangedNotification

REREAD_DELAY_SECONDS: Final = 2.0  # changes within this time are read together
MAX_LISTENS: Final = 60  # requests to listen, if the server always ends them
_CHANGED_LISTS: Final = (ToolListChangedNotification, PromptListChangedNotification, ResourceListChangedNotification)


class Changes:
    """Changes of the lists of one server: its tools, prompts and resources. `event` is set when the server says that a
    list has changed; the reader of the lists clears it."""

    def __init__(self) -> None:
        self.event = asyncio.Event()
        self.hears = False  # whether a server without a handshake says when its lists change
        self.ready = asyncio.Event()  # set when `hear` listens, or has nothing to listen to

    @property
    def seen(self) -> bool:
        return self.event.is_set()

    async def on_message(self, message: Any) -> None:
        """Set `event` if the server notifies the client that a list of its tools, prompts or resources has changed.
        Servers that connect with a handshake send such notifications without being asked."""
        if isinstance(message, _CHANGED_LISTS):
            self.event.set()

    async def hear(self, client: Client) -> bool:
        """Listen for change notifications until the server ends. Returns False at once for a server that connects with
        a handshake, because such a server sends notifications without a subscription."""
        self.hears = False
        try:
            with suppress(MCPError, SubscriptionLost, TimeoutError):
                async with client.listen(
                    tools_list_changed=True, prompts_list_changed=True, resources_list_changed=True
                ) as events:
                    self.hears = True
                    self.ready.set()
                    async for _ in events:
                        self.event.set()
        except ListenNotSupportedError:
            return False
        finally:
            self.ready.set()
        return True

    async def follow(self, client: Client, read: Callable[[], Awaitable[None]]) -> None:
        """Call `read` now, and again whenever the server says that a list has changed. If a server that must be asked
        for changes breaks off the answer, it is asked again, after which all lists are read, so no change is missed.
        Returns when no more changes can be announced."""
        for _ in range(MAX_LISTENS):
            self.ready.clear()
            hearing = asyncio.create_task(self.hear(client))
            try:
                await self.ready.wait()
                await self._follow_one(hearing, read)
            finally:
                hearing.cancel()
            if not self.hears:
                return
            await asyncio.sleep(REREAD_DELAY_SECONDS)

    async def _follow_one(self, hearing: "asyncio.Task[bool]", read: Callable[[], Awaitable[None]]) -> None:
        while True:
            self.event.clear()
            await read()
            change = asyncio.create_task(self.event.wait())
            try:
                await asyncio.wait({change, hearing}, return_when=asyncio.FIRST_COMPLETED)
                if (
                    hearing.done() and not hearing.result()
                ):  # a server with a handshake sends changes without being asked
                    await change
            finally:
                change.cancel()
            if not self.seen:
                return
            await asyncio.sleep(REREAD_DELAY_SECONDS)


def announces(client: Client) -> bool:
    """Return whether a connected server announces changes of its lists."""
    can = client.server_capabilities
    return any(each is not None and each.list_changed for each in (can.tools, can.prompts, can.resources))
