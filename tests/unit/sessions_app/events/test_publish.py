"""Messages are published in order, and a message that cannot be published does not affect the others."""

import asyncio
from typing import Any

import pytest

from agentsite.base.background import background
from sessions_app.events import publish
from sessions_app.events.publish import Publisher


class PickyLayer:
    """A channel layer that fails like channels_redis for a value that msgpack refuses."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.heard = asyncio.Event()

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        if message["data"] == "too much":
            raise OverflowError("Integer value out of range")
        self.sent.append(message["data"])
        self.heard.set()


def test_news_that_cannot_be_carried_does_not_silence_what_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    layer = PickyLayer()
    monkeypatch.setattr(publish, "get_channel_layer", lambda: layer)
    publisher = Publisher()
    for data in ("too much", "after"):
        publisher.send("session.1", {"data": data})
    background.run(asyncio.wait_for(layer.heard.wait(), timeout=5))
    assert layer.sent == ["after"]
