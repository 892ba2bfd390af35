"""Proxy: an HTTP proxy for the programs of one workspace. h11 reads and writes the protocol.

`CONNECT host:port` opens a tunnel, through which only TLS to the same host passes. Other requests must name an absolute
http:// address; they are forwarded with the Host header of that address. Each connection carries one request. A refusal
is sent at once. Its sentence is also in the status line, because many programs show nothing else.

Only for hosts that secrets are added for, the door ends the TLS of a tunnel itself (`opened_tunnel.py`).
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import h11

from tools_app.network.client import HOP_BY_HOP, MAX_HEAD, Client
from tools_app.network.destination import ConnectionRefused, Guard, Unreachable
from tools_app.network.exchange import Exchange
from tools_app.network.git.door import GitDoor
from tools_app.network.opened_tunnel import FindOpenedHost, OpenedHost, OpenedTunnel
from tools_app.network.refusing import Refusals
from tools_app.network.relay import Meter, relay
from tools_app.network.server_name import read_greeting
from tools_app.network.upstream import Streams, Upstream
from tools_app.web.address import BadAddress, WebAddress, parse_address

HEAD_TIMEOUT: Final = 30.0  # seconds until the request must be complete
USAGE: Final = "This is the proxy of the workspace. Programs use it with the variables HTTP_PROXY and HTTPS_PROXY."


class Proxy:
    """The proxy for the connections of programs. `meter` counts their bytes. `git` serves the requests that name no
    host. `opened` finds the hosts that secrets are added for."""

    def __init__(
        self,
        guard: Guard,
        upstream: Upstream,
        meter: Meter,
        git: GitDoor | None = None,
        opened: FindOpenedHost = lambda _address: None,
    ) -> None:
        self._opened = opened
        self._guard = guard
        self._git = git
        self._upstream = upstream
        self._meter = meter
        self._refusals = Refusals()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until its end. An error of either side ends only this connection."""
        client = _Program(reader, writer)
        try:
            async with asyncio.timeout(HEAD_TIMEOUT):
                request = await client.request()
            if request is not None:
                await self._answer(client, request)
        except (h11.RemoteProtocolError, h11.LocalProtocolError, OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _answer(self, client: "_Program", request: h11.Request) -> None:
        if self._git is not None and request.target.startswith(b"/git/"):
            await self._git.answer(client, request)
            return
        try:
            address = _destination(request)
        except BadAddress as error:
            await client.refuse(400, f"{error} {USAGE}")
            return
        opened = self._opened(address) if request.method == b"CONNECT" else None
        try:
            server = await self._allowed(address, opened)
        except ConnectionRefused as error:
            await self._guard.report(address, error)
            await self._refusals.tell(client, request, 403, str(error))
        except Unreachable as error:
            await self._guard.report(address, ConnectionRefused(str(error), cause="unreachable"))
            await self._refusals.tell(client, request, 502, str(error))
        else:
            if opened is not None:
                await self._open_tunnel(client, address, server, opened)
            else:
                await self._pass_on(client, request, address, server)

    async def _allowed(self, address: WebAddress, opened: OpenedHost | None) -> Streams:
        """Return a connection to the address. Raises ConnectionRefused or Unreachable."""
        try:
            await self._guard.judge(address)
        except ConnectionRefused as refusal:
            if refusal.may_ask:  # nobody is asked about an address that cannot be allowed
                self._upstream.check(address)
            raise
        return await self._upstream.open(address, opened.verify if opened else None)

    async def _pass_on(self, client: "_Program", request: h11.Request, address: WebAddress, server: Streams) -> None:
        try:
            if request.method == b"CONNECT":
                await self._tunnel(client, address, server)
            else:
                http = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD)
                await _PlainExchange(client, server, http, self._meter).run(_forwarded(request, address))
        finally:
            server[1].close()

    async def _tunnel(self, client: "_Program", address: WebAddress, server: Streams) -> None:
        first = await client.accept_tunnel()
        if not self._upstream.rules.exempts(address):
            first = await read_greeting(client.streams[0], first, address)
        await self._meter.send(len(first))
        server[1].write(first)
        await relay(client.streams, server, self._meter)

    async def _open_tunnel(self, client: "_Program", address: WebAddress, server: Streams, opened: OpenedHost) -> None:
        async def connect() -> Streams:
            return await self._allowed(address, opened)

        tunnel = OpenedTunnel(address, opened, self._meter, connect, server)
        try:
            first = await read_greeting(client.streams[0], await client.accept_tunnel(), address)
            await tunnel.serve(client.streams, first)
        finally:
            tunnel.close()


class _Program(Client):
    """The connection of a program. A tunnel takes over its `streams`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        super().__init__(reader, writer)
        self.streams: Streams = reader, writer


def _destination(request: h11.Request) -> WebAddress:
    """Return the address that a request is for. Raises BadAddress."""
    target = request.target.decode("latin-1")
    if request.method == b"CONNECT":
        address = parse_address(f"https://{target}/")
        if address.target != "/":
            raise BadAddress("A CONNECT request must name a host and a port and nothing else.")
        return address
    address = parse_address(target)
    if address.scheme != "http":
        raise BadAddress("An https address is reached with a CONNECT request.")
    return address


class _PlainExchange(Exchange):
    """One plain HTTP request and its response, after which the connection ends."""

    def answers(self, event: Any) -> Sequence[Any]:
        if isinstance(event, h11.Response):
            return (_closing(event),)
        return () if isinstance(event, h11.InformationalResponse) else (event,)


def _forwarded(request: h11.Request, address: WebAddress) -> h11.Request:
    kept = [(name, value) for name, value in request.headers if name not in HOP_BY_HOP]
    chunked = [(b"Transfer-Encoding", b"chunked")] if (b"transfer-encoding", b"chunked") in request.headers else []
    headers = [(b"Host", address.authority.encode("ascii")), *kept, *chunked, (b"Connection", b"close")]
    return h11.Request(method=request.method, target=address.target, headers=headers)


def _closing(response: h11.Response) -> h11.Response:
    kept = [(name, value) for name, value in response.headers if name not in HOP_BY_HOP]
    return h11.Response(
        status_code=response.status_code, headers=[*kept, (b"Connection", b"close")], reason=response.reason
    )
