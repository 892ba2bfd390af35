"""The channel layer on which this process receives the messages of web servers for terminals and ports of
workspaces."""

from typing import Any, Final

from channels.layers import channel_layers

from agentsite.base.threads import created_once

PREFIX: Final = "bridge"
"""The prefix of the names of all channels of this layer. The layer waits for the messages of one prefix at a time: with
two prefixes, the channels of one would receive nothing while somebody waits on the other."""


@created_once
def bridges_layer() -> Any:
    """Return this process's channel layer for bridges. Only one event loop may receive on it."""
    return channel_layers.make_backend("default")


async def new_bridge_channel(layer: Any) -> str:
    """Return the name of a new channel-layer channel for messages to a terminal bridge."""
    return str(await layer.new_channel(PREFIX))
