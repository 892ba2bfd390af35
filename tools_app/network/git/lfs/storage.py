"""Storage: connections to the hosts where a server stores the objects of Git LFS.

The server's answer contains the address of each object. The server's own host and the known storage hosts of public
forges are allowed. For any other host, the same rules apply as for connections of programs in the workspace.
"""

import ssl
from collections.abc import Callable
from typing import Final

from tools_app.network.destination import ConnectionRefused, Guard
from tools_app.network.git.server import Destination, Server
from tools_app.network.upstream import Upstream
from tools_app.web.address import BadAddress, WebAddress, parse_address

KNOWN: Final = {
    "github.com": ("github-cloud.s3.amazonaws.com", "github-cloud.githubusercontent.com"),
    "bitbucket.org": ("api.media.atlassian.com",),
}
"""Storage hosts of public forges, reached over https alone."""
NOT_SAFE: Final = "{place} is refused: files in LFS are transferred over https only."


class Storage:
    """Connections to the storage addresses that a git LFS server names in its answers."""

    def __init__(self, upstream: Upstream, tls: Callable[[], ssl.SSLContext], guard: Guard) -> None:
        self._upstream = upstream
        self._tls = tls
        self._guard = guard

    async def judge(self, href: str, destination: Destination) -> WebAddress:
        """Return the address if it may be used. Raises ConnectionRefused, BadAddress or Unreachable. The running
        command is told about a ConnectionRefused."""
        address = parse_address(href)
        if _is_of_server(address, destination) or _is_known(address, destination):
            return address
        try:
            self._check_scheme(address)
            await self._guard.judge(address)
        except ConnectionRefused as refusal:
            await self._guard.report(address, refusal)
            raise
        return address

    def _check_scheme(self, address: WebAddress) -> None:
        if address.scheme != "https" and not self._upstream.rules.exempts(address):
            raise ConnectionRefused(NOT_SAFE.format(place=address.origin), cause="address")

    async def open(self, address: WebAddress) -> Server:
        """Open a connection to an address that `judge` has allowed. The host name is resolved once, and its IP
        addresses are checked. Raises ConnectionRefused or Unreachable."""
        tls = self._tls() if address.scheme == "https" else None
        return Server(await self._upstream.open(address, tls), address)


def _is_of_server(address: WebAddress, destination: Destination) -> bool:
    try:
        server = parse_address(destination.address)
    except BadAddress:
        return False
    return address.origin == server.origin


def _is_known(address: WebAddress, destination: Destination) -> bool:
    server = parse_address(destination.address)
    return address.scheme == "https" and address.port == 443 and address.host in KNOWN.get(server.host, ())
