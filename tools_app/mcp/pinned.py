"""An HTTP client for guarded processes that only connects to checked addresses: it resolves each name once, checks all
addresses of the name, and connects to one of these."""

import ssl
from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from typing import Any, Final

import anyio.to_thread
import httpcore2
import httpx2

from tools_app.web.address import BadAddress, IpAddress, WebAddress, parse_address
from tools_app.web.guarded.connect import MAX_ADDRESSES, MAX_ATTEMPTS, resolve
from tools_app.web.guarded.own_addresses import own_addresses
from tools_app.web.rules import AddressRefused, WebRules

CONNECT_TIMEOUT_SECONDS: Final = 10.0


class Refused(httpx2.ConnectError):
    """The address must not be reached. The message says why."""


class PinnedTransport(httpx2.AsyncHTTPTransport):
    """A transport that checks every URL, and every address that it connects to."""

    def __init__(self, rules: WebRules, tls: ssl.SSLContext) -> None:
        super().__init__(verify=tls, trust_env=False)
        self._rules = rules
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=tls, max_connections=10, network_backend=_PinnedBackend(rules)
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        check(str(request.url), self._rules)
        return await super().handle_async_request(request)


def check(url: str, rules: WebRules) -> WebAddress:
    """Check a URL as far as possible without resolving its name. Only exempt addresses may use http. Raises Refused."""
    try:
        address = parse_address(url)
        rules.check(address)
    except (BadAddress, AddressRefused) as error:
        raise Refused(str(error)) from None
    if address.scheme != "https" and not rules.exempts(address):
        raise Refused(f"{address.origin} is refused: keys are only sent over https.")
    return address


class _PinnedBackend(httpcore2.AsyncNetworkBackend):
    def __init__(self, rules: WebRules) -> None:
        self._rules = rules
        self._own = own_addresses()
        self._plain = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface is httpcore's
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        last: Exception = Refused(f"The host {host} has no address.")
        for ip in await self._checked(host, port):
            try:
                return await self._plain.connect_tcp(
                    str(ip), port, CONNECT_TIMEOUT_SECONDS, local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                last = error
        raise last

    async def sleep(self, seconds: float) -> None:
        await self._plain.sleep(seconds)

    async def _checked(self, host: str, port: int) -> list[IpAddress]:
        address = WebAddress("https", host.strip("[]").lower().removesuffix("."), port, "/")
        try:
            ips = [ip_address(address.host)] if address.ip else await anyio.to_thread.run_sync(resolve, host, port)
            for ip in ips:
                self._rules.check_ip(address, ip, self._own)
        except AddressRefused as error:
            raise Refused(str(error)) from None
        except (OSError, UnicodeError):
            raise Refused(f"The host {address.host} was not found.") from None
        if len(ips) > MAX_ADDRESSES:
            raise Refused(f"The host {address.host} has {len(ips)} addresses.")
        return ips[:MAX_ATTEMPTS]


def client(
    rules: WebRules, tls: ssl.SSLContext, headers: Mapping[str, str], seconds: float, hooks: Mapping[str, Any]
) -> httpx2.AsyncClient:
    """Return a client that sends `headers` with each request and follows no redirect."""
    return httpx2.AsyncClient(
        transport=PinnedTransport(rules, tls),
        headers=dict(headers),
        timeout=httpx2.Timeout(seconds, connect=CONNECT_TIMEOUT_SECONDS * MAX_ATTEMPTS),
        trust_env=False,
        event_hooks=dict(hooks),
    )
