"""Changes: hear from a connected MCP server that its tools, prompts or resources have changed."""

import asyncio
from contextlib import suppress
from typing import Any, Final

from mcp import Client, MCPError
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp_types import PromptListChangedNotification, ResourceListChangedNotification, ToolListChangedNotification

_CHANGED_LISTS: Final = (ToolListChangedNotification, PromptListChangedNotification, ResourceListChangedNotification)


class Changes:
    """Whether a list has changed: `event` is set when the server says so, and cleared by who has read the lists."""

    def __init__(self) -> None:
        self.event = asyncio.Event()
        self.hears = False  # whether a server without a handshake says when its lists change

    @property
    def seen(self) -> bool:
        return self.event.is_set()

    async def on_message(self, message: Any) -> None:
        """Note a notification. Servers with a handshake send them by themselves."""
        if isinstance(message, _CHANGED_LISTS):
            self.event.set()

    async def hear(self, client: Client) -> bool:
        """Note what the server says until it ends. Returns False at once for a server with a handshake, which need not
        be asked to say so."""
        with suppress(MCPError, SubscriptionLost, TimeoutError):
            try:
                async with client.listen(
                    tools_list_changed=True, prompts_list_changed=True, resources_list_changed=True
                ) as events:
                    self.hears = True
                    async for _ in events:
                        self.event.set()
            except ListenNotSupportedError:
                return False
        return True
