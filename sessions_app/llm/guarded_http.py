"""HTTP connections to addresses that teams configure: only to the public web, and to addresses that operators allow.

The name is resolved once, all its addresses are checked, and the connection is made to a checked address. A name server
therefore cannot send a different address after the check. The error is the same for refused and for unknown names, so
that nobody can find out names and machines of a private network.
"""

import asyncio
import socket
import ssl
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from ipaddress import ip_address
from typing import Any, Final

import httpcore
import httpx

from tools_app.web.address import BadAddress, IpAddress, WebAddress, parse_address
from tools_app.web.guarded.own_addresses import own_addresses
from tools_app.web.rules import AddressRefused, WebRules

MAX_ADDRESSES: Final = 64
MAX_CONNECT_ATTEMPTS: Final = 4


class EndpointRefused(httpx.ConnectError):
    """The address does not exist or is not allowed."""


class GuardedTransport(httpx.AsyncHTTPTransport):
    """An httpx transport that checks every URL and every resolved address. Certificate authorities in the file
    `certificates`, if any, are trusted as well."""

    def __init__(self, rules: Callable[[], WebRules], certificates: str = "") -> None:
        context = tls_context(certificates)
        super().__init__(verify=context)
        self._rules = rules
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=context,
            max_connections=None,
            max_keepalive_connections=64,
            keepalive_expiry=30,
            network_backend=_GuardedBackend(rules),
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        check_address(str(request.url), self._rules())
        return await super().handle_async_request(request)


@lru_cache(maxsize=4)
def tls_context(certificates: str = "") -> ssl.SSLContext:
    """Return the shared TLS context of httpx clients that also trust the authorities in the file `certificates`.

    It is shared because loading the usual authorities takes 20 ms of CPU.
    """
    context = httpx.create_ssl_context()
    if certificates:
        context.load_verify_locations(certificates)
    return context


def check_address(url: str, rules: WebRules) -> None:
    """Check a URL as far as possible without resolving its name. Raises EndpointRefused."""
    try:
        address = parse_address(url)
        rules.check(address)
    except (BadAddress, AddressRefused) as error:
        raise EndpointRefused(str(error)) from None
    if address.scheme != "https" and not rules.exempts(address):
        raise EndpointRefused("keys are only sent over https")


@lru_cache(maxsize=1)
def _own() -> frozenset[IpAddress]:
    return own_addresses()


class _GuardedBackend(httpcore.AsyncNetworkBackend):
    def __init__(self, rules: Callable[[], WebRules]) -> None:
        self._rules = rules
        self._plain = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface is httpcore's
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        last: Exception = EndpointRefused("the name has no address")
        for ip in await self._checked_addresses(host, port):
            try:
                return await self._plain.connect_tcp(str(ip), port, timeout, local_address, socket_options)
            except httpcore.ConnectError as error:
                last = error
        raise last

    async def sleep(self, seconds: float) -> None:
        await self._plain.sleep(seconds)

    async def _checked_addresses(self, host: str, port: int) -> Sequence[IpAddress]:
        address = WebAddress("https", host.strip("[]").lower().removesuffix("."), port, "/")
        try:
            ips = [address.ip] if address.ip is not None else await _resolve(address.host, port)
            for ip in ips:
                self._rules().check_ip(address, ip, _own())
        except (OSError, UnicodeError, AddressRefused):
            ips = []
        if not ips or len(ips) > MAX_ADDRESSES:
            raise EndpointRefused("the name has no allowed address")
        return ips[:MAX_CONNECT_ATTEMPTS]


async def _resolve(host: str, port: int) -> list[IpAddress]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(ip_address(str(address[0]).partition("%")[0]) for *_, address in found))
