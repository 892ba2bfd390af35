"""Refusals: how the door tells a program that its connection is refused.

Almost every program understands a status with a sentence. Two kinds of programs misread such an answer to a CONNECT
request, and would keep trying for minutes:

* Programs with the npm package https-proxy-agent, such as npm, take it for the answer of a server whose connection then
  breaks. If they have more requests than connections, they connect again for the next request without an end. After
  `MAX_REFUSALS` refusals of one host, their connections are closed without an answer, which fails the request.
* yarn 1 takes it for a lost connection, and tries five times, three seconds apart. The door accepts its tunnel and ends
  TLS with the alert `access_denied`.
"""

import asyncio
import time
from collections import deque
from typing import Final

import h11

from tools_app.network.client import Client
from tools_app.network.relay import CHUNK
from tools_app.network.server_name import GREETING_TIMEOUT

MAX_REFUSALS: Final = 20  # refusals of one host
WITHIN: Final = 10.0  # seconds
MAX_HOSTS: Final = 100  # whose refusals are counted
YARN: Final = b"yarn/1."  # how the header User-Agent begins
ACCESS_DENIED: Final = bytes([21, 3, 3, 0, 2, 2, 49])
"""A TLS record with the fatal alert `access_denied` (RFC 8446, 5.1 and 6.2)."""


class Refusals:
    """Answers to the programs of one workspace whose connections are refused, in a form that each program
    understands."""

    def __init__(self) -> None:
        self._refused: dict[bytes, deque[float]] = {}

    async def tell(self, client: Client, request: h11.Request, status: int, sentence: str) -> None:
        headers = dict(request.headers)
        if request.method == b"CONNECT":
            if headers.get(b"user-agent", b"").startswith(YARN):
                await _end_tls(client)
                return
            is_node_agent = b"proxy-connection" in headers and b"user-agent" not in headers
            if is_node_agent and self._is_often(request.target):
                return
        await client.refuse(status, sentence)

    def _is_often(self, target: bytes) -> bool:
        """Count a refused connection to this host; return whether more than `MAX_REFUSALS` were refused within
        `WITHIN`."""
        now = time.monotonic()
        times = self._refused.pop(target, deque(maxlen=MAX_REFUSALS + 1))
        times.append(now)
        self._refused[target] = times  # at the end, so that it is forgotten last
        if len(self._refused) > MAX_HOSTS:
            del self._refused[next(iter(self._refused))]
        return len(times) > MAX_REFUSALS and now - times[0] < WITHIN


async def _end_tls(client: Client) -> None:
    """Accept the tunnel, and end the TLS connection in it with an alert."""
    if not await client.accept_tunnel():
        async with asyncio.timeout(GREETING_TIMEOUT):
            await client.reader.read(CHUNK)  # unread, it would reset the connection, and the alert would be lost
    client.writer.write(ACCESS_DENIED)
    await client.writer.drain()
