"""Receive the messages of one channel of a channel layer, with a time limit that loses no message."""

import asyncio
from typing import Any


class ChannelReceiver:
    """Receiver of the messages of one channel, for one coroutine at a time.

    A time limit around the layer's own `receive` may lose a message: if `receive` is cancelled, the layer drops the
    message that has just arrived. Here, the layer continues to wait after the limit, and the next call returns the
    message that arrived.
    """

    def __init__(self, layer: Any, channel: str) -> None:
        self._layer = layer
        self._channel = channel
        self._receiving: asyncio.Task[dict[str, Any]] | None = None

    async def next(self, seconds: float) -> dict[str, Any] | None:
        """Return the next message of the channel, or None if none arrives within `seconds`. Raises OSError or
        RedisError."""
        if self._receiving is None:
            self._receiving = asyncio.ensure_future(self._layer.receive(self._channel))
        receiving = self._receiving
        await asyncio.wait({receiving}, timeout=seconds)
        if not receiving.done():
            return None
        self._receiving = None
        return receiving.result()

    def close(self) -> None:
        """Stop waiting for messages of the channel. Messages that arrive later are lost."""
        if self._receiving is not None:
            self._receiving.cancel()
            self._receiving = None
