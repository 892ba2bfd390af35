"""Open connections to the public web: each name is resolved once, and all its addresses are checked before one is used.

The rules are those of `webfetch` (`tools_app.web.rules`), so private, link-local and metadata addresses, the addresses
of this machine and names of local networks are refused in any spelling.
"""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Final

from tools_app.network.destination import ConnectionRefused, Unreachable
from tools_app.web.address import IpAddress, WebAddress
from tools_app.web.guarded.connect import CONNECT_TIMEOUT, MAX_ADDRESSES, MAX_ATTEMPTS
from tools_app.web.guarded.own_addresses import own_addresses
from tools_app.web.rules import AddressRefused, WebRules

RESOLVE_TIMEOUT: Final = 10.0  # seconds

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Resolve = Callable[[str, int], Awaitable[Sequence[IpAddress]]]


async def resolve(host: str, port: int) -> Sequence[IpAddress]:
    """Return the addresses of a name. Raises OSError if it does not exist."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(ip_address(str(address[0]).partition("%")[0]) for *_, address in found))


@dataclass(frozen=True, slots=True)
class Upstream:
    """A factory of connections to addresses that `rules` allow. `buffer` is the number of bytes read ahead for each
    connection."""

    rules: WebRules
    buffer: int = 1 << 17
    resolve: Resolve = field(default=resolve)

    def check(self, address: WebAddress) -> None:
        """Check an address as far as possible without resolving its name. Raises ConnectionRefused."""
        try:
            self.rules.check(address)
        except AddressRefused as error:
            raise ConnectionRefused(str(error), cause="address") from None

    async def open(self, address: WebAddress, tls: ssl.SSLContext | None = None) -> Streams:
        """Return an open connection, with TLS if `tls` is given. Raises ConnectionRefused or Unreachable."""
        return await self._connect_to_one(address, await self.checked(address), tls)

    async def checked(self, address: WebAddress) -> Sequence[IpAddress]:
        """Return the IP addresses of a host after checking that all of them are allowed. Raises ConnectionRefused or
        Unreachable."""
        self.check(address)
        ips = [address.ip] if address.ip is not None else await self._resolved(address)
        own = own_addresses()
        for ip in ips:
            try:
                self.rules.check_ip(address, ip, own)
            except AddressRefused as error:
                raise ConnectionRefused(str(error), cause="address") from None
        return ips

    async def _resolved(self, address: WebAddress) -> Sequence[IpAddress]:
        try:
            async with asyncio.timeout(RESOLVE_TIMEOUT):
                ips = await self.resolve(address.host, address.port)
        except (OSError, UnicodeError) as error:
            raise Unreachable(f"The host {address.host} was not found.") from error
        if not 0 < len(ips) <= MAX_ADDRESSES:
            raise ConnectionRefused(f"{address.origin} is refused: its name has {len(ips)} addresses.", cause="address")
        return ips

    async def _connect_to_one(
        self, address: WebAddress, ips: Sequence[IpAddress], tls: ssl.SSLContext | None
    ) -> Streams:
        name = address.host if tls else None
        for ip in ips[:MAX_ATTEMPTS]:
            try:
                async with asyncio.timeout(CONNECT_TIMEOUT):
                    return await asyncio.open_connection(
                        str(ip), address.port, limit=self.buffer, ssl=tls, server_hostname=name
                    )
            except ssl.SSLError as error:
                reason = getattr(error, "verify_message", "") or error.reason or "TLS failed"
                raise Unreachable(f"{address.origin} could not be trusted: {reason}.") from error
            except OSError:
                continue
        raise Unreachable(f"{address.origin} does not answer.")
