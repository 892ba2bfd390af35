"""OpenedTunnel: a tunnel whose TLS ends at the door on both sides, so that the door can add secrets to requests.

The server's certificate is verified before a program's first byte is read. Every request must be for the host of the
tunnel, because a secret must not reach another host that the same server serves. Redirects are forwarded like any other
answer: if the program follows one, the door judges the new request. Only HTTP/1.1 is supported, and no upgrade to other
protocols.
"""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import h11

from tools_app.masking import MaskedStream, Masks
from tools_app.network.added_secrets import AddedSecret, Header, masks_of, with_secrets
from tools_app.network.client import HOP_BY_HOP, MAX_HEAD, Client
from tools_app.network.destination import ConnectionRefused, Unreachable
from tools_app.network.exchange import Exchange
from tools_app.network.relay import Meter
from tools_app.network.tls_server import TlsServer
from tools_app.network.upstream import Streams
from tools_app.web.address import WebAddress

HANDSHAKE_TIMEOUT: Final = 30.0  # seconds
TEXTS: Final = (b"text/", b"application/json", b"application/xml", b"application/javascript",
                b"application/x-www-form-urlencoded", b"application/problem+json")  # fmt: skip
ANOTHER_HOST: Final = "A request through this tunnel must be for {}, because secrets are added for this host."


@dataclass(frozen=True, slots=True)
class OpenedHost:
    """A host whose requests get secrets.

    `present` is the TLS context for programs, and `verify` is the TLS context that verifies the server. `secrets`
    returns the current secrets; `used` is called with the secrets that were added.
    """

    present: ssl.SSLContext
    verify: ssl.SSLContext
    secrets: Callable[[], Sequence[AddedSecret]]
    used: Callable[[Sequence[AddedSecret]], None]


FindOpenedHost = Callable[[WebAddress], OpenedHost | None]
Connect = Callable[[], Awaitable[Streams]]


class OpenedTunnel:
    """One tunnel of a program whose TLS ends at the door (network proxy).

    `server` is the first connection to the host; `connect` opens a new connection if the server has ended it.
    """

    def __init__(self, address: WebAddress, host: OpenedHost, meter: Meter, connect: Connect, server: Streams) -> None:
        self._address = address
        self._host = host
        self._meter = meter
        self._connect = connect
        self._server = server
        self._http = _new_http()

    def close(self) -> None:
        self._server[1].close()

    async def serve(self, program: Streams, greeting: bytes) -> None:
        """Answer the program's requests until either side ends the connection. `greeting` are the bytes that were read
        before."""
        tls = TlsServer(*program, self._host.present, greeting)
        async with asyncio.timeout(HANDSHAKE_TIMEOUT):
            await tls.handshake()
        client = Client(tls, tls)
        with suppress(h11.RemoteProtocolError, h11.LocalProtocolError):
            while (request := await client.request()) is not None and await self._answer(client, request):
                client.http.start_next_cycle()
        await tls.close()

    async def _answer(self, client: Client, request: h11.Request) -> bool:
        """Forward one request of the program. Return whether another request may follow."""
        if not self._is_for_this_host(request):
            await client.refuse(421, ANOTHER_HOST.format(self._address.authority))
            return False
        try:
            await self._keep_connected()
        except (ConnectionRefused, Unreachable) as error:
            await client.refuse(403 if isinstance(error, ConnectionRefused) else 502, str(error))
            return False
        secrets = self._host.secrets()
        exchange = _OpenedExchange(client, self._server, self._http, self._meter, masks_of(secrets))
        await exchange.run(self._prepared(request, secrets))
        self._host.used(secrets)
        if client.http.our_state is not h11.DONE or client.http.their_state is not h11.DONE:
            return False
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
        else:
            self._server[1].close()
        return True

    async def _keep_connected(self) -> None:
        """Connect again if the server has ended the connection. Raises ConnectionRefused or Unreachable."""
        reader, writer = self._server
        if reader.at_eof() or writer.is_closing():
            writer.close()
            self._server = await self._connect()
            self._http = _new_http()

    def _is_for_this_host(self, request: h11.Request) -> bool:
        named = {value.lower() for name, value in request.headers if name == b"host"}
        whole = f"{self._address.host}:{self._address.port}"
        known = {self._address.authority.encode("ascii"), whole.encode("ascii")}
        return bool(named) and named <= known and (request.target.startswith(b"/") or request.target == b"*")

    def _prepared(self, request: h11.Request, secrets: Sequence[AddedSecret]) -> h11.Request:
        """Return the request to send: with the secrets added, and with headers that ask for a response which can be
        masked."""
        left_out = HOP_BY_HOP | {b"accept-encoding"} if secrets else HOP_BY_HOP
        kept = [(bytes(name), bytes(value)) for name, value in request.headers if name not in left_out]
        chunked = [(b"Transfer-Encoding", b"chunked")] if (b"transfer-encoding", b"chunked") in request.headers else []
        target, headers = with_secrets(bytes(request.target), kept, secrets)
        plain = [(b"Accept-Encoding", b"identity")] if secrets else []
        host = (b"Host", self._address.authority.encode("ascii"))
        return h11.Request(method=request.method, target=target, headers=[host, *headers, *plain, *chunked])


class _OpenedExchange(Exchange):
    """One request and its response. Secrets are masked in the response."""

    def __init__(self, client: Client, server: Streams, http: h11.Connection, meter: Meter, masks: Masks) -> None:
        super().__init__(client, server, http, meter)
        self._masks = masks
        self._body = _Unmasked()

    def answers(self, event: Any) -> Sequence[Any]:
        if isinstance(event, h11.Response):
            headers = [(name, self._covered(value)) for name, value in event.headers if name not in HOP_BY_HOP]
            if self._masks and _is_text(event.headers):
                self._body = _Masked(self._masks)
            return (h11.Response(status_code=event.status_code, headers=headers, reason=self._covered(event.reason)),)
        if isinstance(event, h11.InformationalResponse):
            return (h11.InformationalResponse(status_code=100, headers=[]),) if event.status_code == 100 else ()
        if isinstance(event, h11.Data):
            shown = self._body.feed(bytes(event.data))
            return (h11.Data(data=shown),) if shown else ()
        if isinstance(event, h11.EndOfMessage):
            rest = self._body.finish()
            trailers = [(name, self._covered(value)) for name, value in event.headers]
            return (*((h11.Data(data=rest),) if rest else ()), h11.EndOfMessage(headers=trailers))
        return (event,)

    def _covered(self, value: bytes) -> bytes:
        return self._masks.cover(value.decode("latin-1")).encode("latin-1")


class _Unmasked:
    """A body that is forwarded unchanged."""

    def feed(self, piece: bytes) -> bytes:
        return piece

    def finish(self) -> bytes:
        return b""


class _Masked(_Unmasked):
    """A masker of text that keeps the length of the text, so that headers such as Content-Length stay correct."""

    def __init__(self, masks: Masks) -> None:
        self._stream = MaskedStream(masks, keep_length=True)

    def feed(self, piece: bytes) -> bytes:
        return self._stream.feed(piece.decode("latin-1")).encode("latin-1")

    def finish(self) -> bytes:
        return self._stream.finish().encode("latin-1")


def _new_http() -> h11.Connection:
    return h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD)


def _is_text(headers: Sequence[Header]) -> bool:
    """Return whether a body is uncompressed text, so that it can be masked.

    A body without a media type is treated as text.
    """
    named = {bytes(name): bytes(value).lower() for name, value in headers}
    kind = named.get(b"content-type", b"text/plain").partition(b";")[0].strip()
    return named.get(b"content-encoding", b"identity") == b"identity" and (
        kind.startswith(TEXTS) or kind.endswith((b"+json", b"+xml"))
    )
