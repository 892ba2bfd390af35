"""Call operations of the REST API in this process, with the API token of an MCP client."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from agentsite.base.error_codes import ErrorCode
from agentsite.http.asgi import Application, Message

_PASSED_HEADERS: Final = frozenset(
    {b"authorization", b"host", b"user-agent", b"x-forwarded-for", b"x-forwarded-proto", b"x-request-id"}
)
"""Headers of the client that are passed on to the operation: they contain the client's token and address."""


@dataclass(frozen=True, slots=True)
class RestRequest:
    """A request to the REST API. `body` is sent as JSON unless it is None."""

    method: str
    path: str
    query: Mapping[str, Any]
    body: Mapping[str, Any] | None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class RestAnswer:
    """The answer of an operation: its status, and its body parsed as JSON (None if the body is empty or not JSON)."""

    status: int
    body: Any

    @property
    def error(self) -> dict[str, Any] | None:
        """The error {code, message, hint, fields, request_id} if the request failed; None otherwise."""
        if self.status < 400:
            return None
        unknown = {"code": ErrorCode.INTERNAL_ERROR, "message": "The site failed unexpectedly.", "hint": ""}
        found: dict[str, Any] = self.body.get("error", unknown) if isinstance(self.body, dict) else unknown
        return found


class RestCaller:
    """The caller of REST operations on behalf of an MCP client. `scope` is the ASGI scope of the client's HTTP request,
    whose API token is used."""

    def __init__(self, application: Application, scope: Mapping[str, Any]) -> None:
        self._application = application
        self._scope = scope

    async def call(self, request: RestRequest, *, on_piece: Callable[[bytes], Any] | None = None) -> RestAnswer:
        """Call an operation, and return its answer. `on_piece` is called with each piece of the answer's body as soon
        as it arrives."""
        pieces: list[bytes] = []
        async with self._responding(request) as (status, body):
            async for piece in body:
                pieces.append(piece)
                if on_piece is not None:
                    on_piece(piece)
        return RestAnswer(status, _read(b"".join(pieces)))

    async def stream(self, request: RestRequest) -> AsyncIterator[bytes]:
        """Call an operation, and yield the pieces of its answer's body; nothing if the request failed."""
        async with self._responding(request) as (status, body):
            if status < 400:
                async for piece in body:
                    yield piece

    @asynccontextmanager
    async def _responding(self, request: RestRequest) -> AsyncIterator[tuple[int, AsyncIterator[bytes]]]:
        """Start an operation, and yield the status of its answer and the pieces of the answer's body. Closing the
        generator early cancels the operation."""
        messages: asyncio.Queue[Message | None] = asyncio.Queue(maxsize=16)

        async def run() -> None:
            try:
                await self._application(self._scope_of(request), _receiving(request), messages.put)
            finally:
                await messages.put(None)

        task = asyncio.create_task(run())
        try:
            start = await messages.get()
            if start is None:
                await task
            yield int(start["status"]) if start else 500, _bodies(messages)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def _scope_of(self, request: RestRequest) -> dict[str, Any]:
        headers = [(name, value) for name, value in self._scope["headers"] if name in _PASSED_HEADERS]
        headers.append((b"accept", b"application/json"))
        if request.body is not None:
            headers.append((b"content-type", b"application/json"))
        if request.key is not None:
            headers.append((b"idempotency-key", request.key.encode("utf-8", "replace")))
        path = self._scope.get("root_path", "") + request.path
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": self._scope.get("scheme", "http"),
            "path": path,
            "raw_path": path.encode(),
            "query_string": urlencode(request.query, doseq=True).encode(),
            "root_path": self._scope.get("root_path", ""),
            "headers": headers,
            "client": self._scope.get("client"),
            "server": self._scope.get("server"),
        }


def _receiving(request: RestRequest) -> Callable[[], Any]:
    """Return ASGI's `receive` for a request. It returns the whole body, and then never reports a disconnect, because a
    call is ended by cancelling its task."""
    body = b"" if request.body is None else json.dumps(request.body).encode()
    sent = False

    async def receive() -> Message:
        nonlocal sent
        if sent:
            await asyncio.Event().wait()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


async def _bodies(messages: "asyncio.Queue[Message | None]") -> AsyncIterator[bytes]:
    while (message := await messages.get()) is not None:
        if message["type"] == "http.response.body":
            yield message.get("body", b"")


def _read(body: bytes) -> Any:
    try:
        return json.loads(body) if body.strip() else None
    except ValueError:
        return None
