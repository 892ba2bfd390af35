"""Transfers: objects of Git LFS on their way between a program and the storage."""

from contextlib import AsyncExitStack
from typing import Final
from urllib.parse import urljoin

import h11
import structlog

from tools_app.network.client import Client
from tools_app.network.git.body import request_body
from tools_app.network.git.lfs import messages
from tools_app.network.git.lfs.messages import MEDIA_TYPE, Action, LfsObject
from tools_app.network.git.lfs.server import JSON_HEADERS, NOT_THERE, LfsRefused, LfsServer, exchange, headers_of
from tools_app.network.git.lfs.storage import Storage
from tools_app.network.git.lfs.target import LfsTarget
from tools_app.network.git.server import Destination, Server, header_of
from tools_app.network.relay import Meter
from tools_app.web.address import parse_address

MAX_REDIRECTS: Final = 3
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
PASSED_BACK: Final = (b"content-length", b"content-range")
FAILED: Final = "The storage of files in LFS, {place}, answered with status {status}. Try again in a moment."
OTHER_SIZE: Final = "The file has another size than the one that was announced."

logger = structlog.get_logger(__name__)


class Transfers:
    """Transfers of Git LFS objects between programs and storage hosts. All methods may raise LfsRefused and
    ConnectionRefused, among others."""

    def __init__(self, server: LfsServer, storage: Storage, meter: Meter) -> None:
        self._server = server
        self._storage = storage
        self._meter = meter

    async def download(self, client: Client, request: h11.Request, target: LfsTarget, destination: Destination) -> None:
        for anew in (False, True):
            action = await self._server.action(target, destination, anew=anew)
            if action is None:
                raise LfsRefused(404, NOT_THERE.format(title=destination.title))
            async with AsyncExitStack() as stack:
                server, response = await self._get(stack, action, destination, header_of(request, b"range"))
                if response.status_code in (200, 206):
                    await self._pass_back(client, server, response)
                    return
        raise LfsRefused(502, FAILED.format(place=server.origin, status=response.status_code))

    async def _get(
        self, stack: AsyncExitStack, action: Action, destination: Destination, part: bytes
    ) -> tuple[Server, h11.Response]:
        """Request an object, and follow redirects after judging each of them. The headers are sent only to the first
        host."""
        href, sent = action.href, headers_of(action, destination)
        ranged = [(b"Range", part)] if part else []
        for _ in range(MAX_REDIRECTS + 1):
            address = await self._storage.judge(href, destination)
            server = await stack.enter_async_context(await self._storage.open(address))
            await server.begin(b"GET", [*sent, *ranged])
            response = await server.respond()
            location = header_of(response, b"location").decode("latin-1")
            if response.status_code not in REDIRECTS or not location:
                break
            href = urljoin(str(address), location)
            if parse_address(href).origin != address.origin:
                sent = []
        return server, response

    async def _pass_back(self, client: Client, server: Server, response: h11.Response) -> None:
        kept = [(name, value) for name, value in response.headers if name in PASSED_BACK]
        head = [(b"Content-Type", b"application/octet-stream"), *kept, (b"Connection", b"close")]
        await client.send(h11.Response(status_code=response.status_code, headers=head))
        async for data in server.body():
            await self._meter.receive(len(data))
            await client.send(h11.Data(data=data))
        await client.send(h11.EndOfMessage())

    async def upload(self, client: Client, request: h11.Request, target: LfsTarget, destination: Destination) -> None:
        if header_of(request, b"content-length") != str(target.size).encode():
            raise LfsRefused(422, OTHER_SIZE)
        if target.size > messages.MAX_OBJECT:
            raise LfsRefused(413, messages.TOO_LARGE.format(size=target.size / (1 << 30)))
        await self._server.check_upload(target.ref, destination)
        action = await self._server.action(target, destination)
        if action is not None:
            await self._send(client, request, action, target, destination)
        else:
            async for _ in request_body(client, self._meter):
                pass
        await client.answer(200, MEDIA_TYPE, b"{}")

    async def _send(
        self, client: Client, request: h11.Request, action: Action, target: LfsTarget, destination: Destination
    ) -> None:
        address = await self._storage.judge(action.href, destination)
        sent = headers_of(action, destination)
        if not any(name.lower() == b"content-type" for name, _ in sent):
            kind = header_of(request, b"content-type") or b"application/octet-stream"
            sent = [*sent, (b"Content-Type", kind)]
        async with await self._storage.open(address) as server:
            await server.begin(b"PUT", [*sent, (b"Content-Length", str(target.size).encode())])
            async for data in request_body(client, self._meter):
                await server.send(data)
            response = await server.respond()
        if response.status_code // 100 != 2:
            self._server.forget(target)
            raise LfsRefused(502, FAILED.format(place=address.origin, status=response.status_code))
        logger.info("lfs_uploaded", repository=destination.title, oid=target.oid, bytes=target.size, ref=target.ref)

    async def verify(self, client: Client, target: LfsTarget, destination: Destination) -> None:
        async for _ in request_body(client, self._meter):
            pass
        await self._server.check_upload(target.ref, destination)
        action = await self._server.action(target, destination)
        if action is not None:
            address = await self._storage.judge(action.href, destination)
            body = LfsObject(oid=target.oid, size=target.size).model_dump_json().encode()
            async with await self._storage.open(address) as server:
                reply = await exchange(server, [*JSON_HEADERS, *headers_of(action, destination)], body)
            if reply.status // 100 != 2:
                raise LfsRefused(422, FAILED.format(place=address.origin, status=reply.status))
        await client.answer(200, MEDIA_TYPE, b"{}")
