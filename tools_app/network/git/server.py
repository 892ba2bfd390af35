"""One HTTP request of the door (the network proxy) to the server of a repository, and its response."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Self

import h11

from tools_app.network.client import MAX_HEAD, next_event
from tools_app.network.git.ssh_address import stored_place
from tools_app.network.git.ssh_keys import SshLogin
from tools_app.network.git.target import GitTarget
from tools_app.network.upstream import Streams, Upstream
from tools_app.web.address import WebAddress, parse_address

if TYPE_CHECKING:
    from tools_app.network.git.ssh_server import SshServer

USER_AGENT: Final = b"git/agentsite"
RESPONSE_TIMEOUT: Final = 300.0  # seconds; a server may count objects for long before it answers

Headers = Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Destination:
    """The repository that a workspace may use, as the database names it. `address` has no final slash.

    `headers` are the credential that the door adds. They never appear in an answer or a log.
    """

    name: str
    address: str
    title: str
    headers: Headers = field(default=(), repr=False)
    has_credential: bool = False
    ssh: SshLogin | None = None
    read_only: bool = False

    def of(self, target: GitTarget) -> WebAddress:
        """Return the URL at the repository's server to which a request of git is forwarded. Raises BadAddress."""
        return parse_address(f"{self.address}{target.path}")


@dataclass(frozen=True, slots=True)
class Servers:
    """The servers of repositories, to which `open` connects. `tls` returns the context that verifies certificates."""

    upstream: Upstream
    tls: Callable[[], ssl.SSLContext]

    async def open(self, destination: Destination, target: GitTarget) -> "Server | SshServer":
        """Return a connection to the server for one request of git. Raises ConnectionRefused, Unreachable or
        BadAddress."""
        if destination.ssh is not None:
            from tools_app.network.git.ssh_server import SshServer

            return SshServer(self.upstream, stored_place(destination.address), destination.ssh, target)
        address = destination.of(target)
        tls = self.tls() if address.scheme == "https" else None
        return Server(await self.upstream.open(address, tls), address)


class Server:
    """A connection to a git server for one HTTP request and its response."""

    older_announcement: Final = b""

    def __init__(self, streams: Streams, address: WebAddress) -> None:
        self._address = address
        self._reader, self._writer = streams
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD)

    @property
    def origin(self) -> str:
        """Scheme, host and port of the server."""
        return self._address.origin

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()

    async def begin(self, method: bytes, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Send the head of an HTTP request to the server."""
        address = self._address
        usual = [(b"Host", address.authority.encode("ascii")), (b"User-Agent", USER_AGENT), (b"Connection", b"close")]
        await self._send(h11.Request(method=method, target=address.target.encode("ascii"), headers=[*usual, *headers]))

    async def send(self, data: bytes) -> None:
        await self._send(h11.Data(data=data))

    async def respond(self) -> h11.Response:
        """End the request and return the head of its response."""
        await self._send(h11.EndOfMessage())
        async with asyncio.timeout(RESPONSE_TIMEOUT):
            while not isinstance(event := await next_event(self._http, self._reader), h11.Response):
                if isinstance(event, h11.ConnectionClosed):
                    raise ConnectionResetError("The server closed the connection.")
        return event

    async def body(self) -> AsyncIterator[bytes]:
        """Yield the response's body. Raises OSError or RemoteProtocolError if it breaks off."""
        while isinstance(event := await next_event(self._http, self._reader), h11.Data):
            yield bytes(event.data)

    async def _send(self, event: h11.Event) -> None:
        if data := self._http.send(event):
            self._writer.write(data)
            await self._writer.drain()


def header_of(message: h11.Request | h11.Response, name: bytes) -> bytes:
    """Return the value of a header, empty if there is none."""
    return next((bytes(value) for each, value in message.headers if each == name), b"")
