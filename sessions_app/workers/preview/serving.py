"""The HTTP server of previews. h11 reads and writes the protocol; WebSockets pass as bytes after their handshake.

A browser's connection carries many requests, one after another; each request gets a connection of its own to the
workspace's program. Bodies are passed on piece by piece; if one side does not read, only the other side has to wait.
"""

import asyncio
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import h11
import structlog
from channels.layers import get_channel_layer

from agentsite.base.errors import Missing, SiteError, TooMany
from agentsite.base.preview_address import PreviewPlace, place_of_host
from sessions_app.actions.previews import GRANT_SECONDS, OPEN_PATH
from sessions_app.queries.carried_ports import WorkspaceLinks
from sessions_app.workers.preview import heads, pages
from sessions_app.workers.preview.admission import Admission, Admitted, redeem
from sessions_app.workers.preview.exchange import Exchange, SwitchedProtocols, pass_bytes

MAX_HEAD: Final = 1 << 16  # bytes
HEAD_TIMEOUT: Final = 75.0  # seconds that a connection may be open without a request
MAX_CONNECTIONS: Final = 1_000
CHECK_EVERY: Final = 2.0  # seconds between two checks whether a person may still see what an open connection shows
CHUNK: Final = 1 << 16

logger = structlog.get_logger(__name__)


class PreviewServer:
    """The server of previews at addresses of the form `pattern`. Pages of the origins in `site` may show previews in
    frames."""

    def __init__(self, pattern: str, site: str) -> None:
        self._pattern = pattern
        self._site = site
        self._admission = Admission()
        self._links = WorkspaceLinks(get_channel_layer())
        self._open = 0

    async def serve(self, host: str, port: int) -> None:
        """Serve previews at this address until cancelled."""
        server = await asyncio.start_server(self.handle, host, port, limit=CHUNK)
        try:
            await server.serve_forever()
        finally:
            self._links.close()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection of a browser until its end."""
        self._open += 1
        try:
            if self._open <= MAX_CONNECTIONS:
                await _Visit(self, reader, writer).run()
        except (h11.ProtocolError, OSError, TimeoutError, SwitchedProtocols):
            pass
        except asyncio.CancelledError:  # the server ends; asyncio would log each of its connections as an error
            pass
        except Exception as error:
            logger.error("preview_failed", exc_info=error)
        finally:
            self._open -= 1
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    def place_of(self, request: h11.Request) -> PreviewPlace | None:
        hosts = [value for name, value in request.headers if name == b"host"]
        return place_of_host(hosts[0].decode("latin-1"), self._pattern) if len(hosts) == 1 else None

    def origin_of(self, place: PreviewPlace) -> str:
        return self._pattern.replace("{id}", place.label)

    @property
    def site(self) -> str:
        return self._site

    @property
    def admission(self) -> Admission:
        return self._admission

    @property
    def links(self) -> WorkspaceLinks:
        return self._links


class _Visit:
    """A browser's connection to the preview server. Its requests are handled one after another."""

    def __init__(self, server: PreviewServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._server = server
        self._reader = reader
        self._writer = writer
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD)

    async def run(self) -> None:
        while True:
            async with asyncio.timeout(HEAD_TIMEOUT):
                request = await self._next_request()
            if request is None:
                return
            await self._answer(request)
            if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
                return
            self._http.start_next_cycle()

    async def _next_request(self) -> h11.Request | None:
        event = await Exchange.next_event(self._http, self._reader)
        return event if isinstance(event, h11.Request) else None

    async def _answer(self, request: h11.Request) -> None:
        place = self._server.place_of(request)
        if place is None:
            await self._show(404, pages.NOT_THERE)
            return
        target = urlsplit(request.target.decode("latin-1"))
        if target.path == OPEN_PATH:
            await self._redeem(request, place, target.query)
            return
        secrets = heads.cookies_named(request.headers, heads.COOKIE)
        found = await self._server.admission.admit(secrets, place)
        if found is None:
            await self._show(404, pages.NOT_THERE)
        elif not found[1].is_running:
            await self._show(503, pages.not_running())
        else:
            await self._pass_on(request, place, *found)

    async def _redeem(self, request: h11.Request, place: PreviewPlace, query: str) -> None:
        """Exchange a ticket for a cookie, and redirect to the page for which the ticket was made."""
        tickets = parse_qs(query).get("ticket", [])
        redeemed = await redeem(tickets[0], place) if request.method == b"GET" and len(tickets) == 1 else None
        if redeemed is None:
            await self._show(404, pages.NOT_THERE)
            return
        secret, path = redeemed
        headers = [(b"Location", path.encode()), (b"Set-Cookie", heads.grant_cookie(secret, GRANT_SECONDS))]
        await self._show(303, b"", headers)

    async def _pass_on(self, request: h11.Request, place: PreviewPlace, secret: str, admitted: Admitted) -> None:
        if _is_use(request):
            await self._server.admission.note_use(admitted.workspace)
        try:
            program = await self._server.links.connect(admitted.workspace, place.port, admitted.user)
        except Missing:
            await self._show(502, pages.nothing_listens(place.port))
            return
        except SiteError as error:
            status = 503 if isinstance(error, TooMany) else 502
            await self._show(status, pages.page("The preview is not there now", error.message, again_after=2))
            return
        passing = asyncio.create_task(self._exchange(request, place, program))
        try:
            while not passing.done():
                await asyncio.wait([passing], timeout=CHECK_EVERY)
                if not passing.done() and not await self._server.admission.check(secret, place):
                    return  # `finally` ends both connections
            passing.result()
        except (OSError, h11.ProtocolError):
            await self._show(502, pages.no_answer(place.port))
            raise
        finally:
            program.close()  # first: a client of Valkey may swallow the cancellation
            passing.cancel()
            await asyncio.gather(passing, return_exceptions=True)

    async def _exchange(self, request: h11.Request, place: PreviewPlace, program: Any) -> None:
        origin = self._server.origin_of(place)
        sent = heads.request_headers(list(request.headers), port=place.port, origin=origin)
        exchange = Exchange(self._http, self._reader, self._writer, program)
        is_switched = await exchange.run(
            request, sent, lambda given: heads.response_headers(given, port=place.port, site=self._server.site)
        )
        if is_switched:
            await pass_bytes(exchange, self._reader, self._writer, program)
            raise SwitchedProtocols

    async def _show(self, status: int, body: bytes, more: list[tuple[bytes, bytes]] | None = None) -> None:
        """Send a page of the preview server itself, such as an error page, as the response."""
        if self._http.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        headers = [
            (b"Content-Type", b"text/html; charset=utf-8"),
            (b"Content-Length", str(len(body)).encode()),
            (b"Cache-Control", b"no-store"),
            (b"Referrer-Policy", b"no-referrer"),
            (b"X-Content-Type-Options", b"nosniff"),
            (b"Content-Security-Policy", pages.POLICY.encode()),
            *heads.protection(self._server.site),
            *(more or []),
        ]
        if self._http.their_state is not h11.DONE:  # a body that nobody reads
            headers.append((b"Connection", b"close"))
        head = h11.Response(status_code=status, headers=headers, reason=HTTPStatus(status).phrase.encode())
        self._writer.write(self._http.send(head) or b"")
        self._writer.write(self._http.send(h11.Data(data=body)) or b"")
        self._writer.write(self._http.send(h11.EndOfMessage()) or b"")
        await self._writer.drain()


def _is_use(request: h11.Request) -> bool:
    """Return whether a request is a person's use of the preview: it loads a page or sends data. Other requests, such as
    those that a page repeats by itself, do not keep the workspace running."""
    modes = [value for name, value in request.headers if name == b"sec-fetch-mode"]
    return request.method not in (b"GET", b"HEAD", b"OPTIONS") or modes == [b"navigate"]
