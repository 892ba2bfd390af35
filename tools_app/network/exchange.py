"""Exchange: forward one request of a program to a server, and return the response."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import h11

from tools_app.network.client import Client, next_event
from tools_app.network.relay import Meter
from tools_app.network.upstream import Streams


class Exchange(ABC):
    """Base class that forwards one HTTP request and its response. Both bodies may be sent at the same time."""

    def __init__(self, client: Client, server: Streams, http: h11.Connection, meter: Meter) -> None:
        self._client = client
        self._reader, self._writer = server
        self._http = http
        self._meter = meter

    async def run(self, request: h11.Request) -> None:
        """Send the request with the program's body, and forward the response. Passes on exceptions of h11 and the
        streams."""
        await self._send(request)
        sending = asyncio.create_task(self._send_body())
        try:
            await self._receive()
            if self._client.http.their_state is h11.DONE:
                await sending
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)

    @abstractmethod
    def answers(self, event: Any) -> Sequence[Any]:
        """Return the response events to send to the program when the server sends `event`."""

    async def _send_body(self) -> None:
        while True:
            event = await next_event(self._client.http, self._client.reader)
            if isinstance(event, h11.Data):
                await self._meter.send(len(event.data))
            await self._send(event)
            if isinstance(event, h11.EndOfMessage):
                return

    async def _receive(self) -> None:
        while True:
            event = await next_event(self._http, self._reader)
            if isinstance(event, h11.Data):
                await self._meter.receive(len(event.data))
            for answer in self.answers(event):
                await self._client.send(answer)
            if isinstance(event, (h11.EndOfMessage, h11.ConnectionClosed)):
                return

    async def _send(self, event: Any) -> None:
        if data := self._http.send(event):
            self._writer.write(data)
            await self._writer.drain()
