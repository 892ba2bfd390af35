"""Channels of bridges (for terminals and ports of workspaces), on the channel layer that the site uses."""

import asyncio
from contextlib import suppress
from typing import Any

from channels.layers import channel_layers

from agentsite.base.channel_receiver import ChannelReceiver
from sessions_app.workers.sandbox.bridges import new_bridge_channel
from tests.support.sockets import PATIENCE

MESSAGE = {"type": "bridge.input", "data": b"x"}


def new_layer() -> Any:
    return channel_layers.make_backend("default")


async def test_a_bridge_that_hears_nothing_does_not_keep_another_from_hearing() -> None:
    layer = new_layer()
    silent, spoken_to = await new_bridge_channel(layer), await new_bridge_channel(layer)
    waiting = asyncio.ensure_future(layer.receive(silent))
    heard = asyncio.ensure_future(layer.receive(spoken_to))
    await layer.send(spoken_to, MESSAGE)
    assert await asyncio.wait_for(heard, PATIENCE) == MESSAGE
    assert not waiting.done()
    waiting.cancel()
    with suppress(asyncio.CancelledError):
        await waiting


async def test_what_arrives_after_a_time_limit_is_received_by_the_next_call() -> None:
    layer = new_layer()
    channel = await layer.new_channel()
    receiver = ChannelReceiver(layer, channel)
    assert await receiver.next(0.01) is None
    await layer.send(channel, MESSAGE)
    assert await receiver.next(PATIENCE) == MESSAGE
    receiver.close()
