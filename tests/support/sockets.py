"""A WebSocket client for tests of the site's ASGI application."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from channels.db import database_sync_to_async
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.db import connections
from django.test import Client

from agentsite.tenancy.models import User
from sessions_app.actions.sessions import update_session
from sessions_app.models import Session
from tests.support.frame_check import check_frame
from tests.support.session_site import SessionSite

PATIENCE = 60.0  # seconds; only bounds a hang
OWN_HOST = b"localhost:8000"
OWN_ORIGIN = b"http://localhost:8000"


class Socket:
    """A WebSocket client. `seen` are all frames received from the server.

    Frames of the server, and accepted frames of the client, are checked against the published schemas.
    """

    def __init__(self, communicator: WebsocketCommunicator, path: str) -> None:
        self._communicator = communicator
        self._path = path
        self._last = 0
        self.seen: list[dict[str, Any]] = []

    async def frame(self) -> dict[str, Any]:
        frame: dict[str, Any] = await self._communicator.receive_json_from(timeout=PATIENCE)
        check_frame(self._path, "server", frame)
        self.seen.append(frame)
        return frame

    async def wait_for(self, frame_type: str, **fields: Any) -> dict[str, Any]:
        """Wait for the next frame of this type with these fields."""
        async with asyncio.timeout(PATIENCE):
            while True:
                frame = await self.frame()
                if frame["type"] == frame_type and all(frame.get(name) == value for name, value in fields.items()):
                    return frame

    async def ask(self, frame_type: str, **fields: Any) -> dict[str, Any]:
        """Send a frame; return the ack, error or pong that answers it."""
        self._last += 1
        sent = {"id": self._last, "type": frame_type, **fields}
        await self.send(sent)
        async with asyncio.timeout(PATIENCE):
            while True:
                frame = await self.frame()
                if frame.get("id") == self._last and frame["type"] in {"ack", "error", "pong"}:
                    if frame["type"] != "error":
                        check_frame(self._path, "client", sent)
                    return frame

    async def send(self, frame: Any) -> None:
        await self.send_text(json.dumps(frame))

    async def send_text(self, text: str) -> None:
        await self._communicator.send_to(text_data=text)

    async def send_bytes(self, data: bytes) -> None:
        await self._communicator.send_to(bytes_data=data)

    async def close_code(self) -> int:
        """Wait until the server closes the socket; return its code."""
        async with asyncio.timeout(PATIENCE):
            while True:
                message = await self._communicator.receive_output(PATIENCE)
                if message["type"] == "websocket.close":
                    return int(message["code"])

    async def to_the_end(self) -> list[dict[str, Any]]:
        """Return every raw message until the server has closed the socket."""
        messages: list[dict[str, Any]] = []
        while not messages or messages[-1]["type"] != "websocket.close":
            messages.append(await self._communicator.receive_output(PATIENCE))
        return messages

    def waiting(self) -> int:
        """Return the number of the server's messages that were not received yet."""
        return int(self._communicator.output_queue.qsize())

    async def is_silent(self) -> bool:
        """Return whether the server sends nothing for 0.3 s."""
        return bool(await self._communicator.receive_nothing(timeout=0.3))

    def events(self) -> list[dict[str, Any]]:
        return [frame for frame in self.seen if frame["type"] == "event"]


async def cookie_of(user: User) -> bytes:
    client = Client()
    await database_sync_to_async(client.force_login)(user)
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}".encode()


@asynccontextmanager
async def open_socket(
    path: str, *, user: User | None = None, origin: bytes | None = OWN_ORIGIN, refused: bool = False
) -> AsyncIterator[Socket]:
    """Connect to a WebSocket as a browser does, signed in as `user`. With `refused`, the connection must fail."""
    from agentsite.asgi import application

    headers = [(b"host", OWN_HOST)] if origin is None else [(b"host", OWN_HOST), (b"origin", origin)]
    if user is not None:
        headers.append((b"cookie", await cookie_of(user)))
    communicator = WebsocketCommunicator(application, path, headers=headers)
    connected, _ = await communicator.connect(timeout=PATIENCE)
    assert connected is not refused
    try:
        yield Socket(communicator, path)
    finally:
        if connected:
            await communicator.disconnect(timeout=1)


def path_of(session: Session) -> str:
    return f"/ws/sessions/{session.public_id}"


async def do(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Run a function in another thread, as a worker or another person would, and close that thread's database
    connections."""

    def work() -> Any:
        try:
            return function(*args, **options)
        finally:
            connections.close_all()

    return await database_sync_to_async(work, thread_sensitive=False)()


async def rename(site: SessionSite, session: Session, title: str) -> None:
    await do(update_session, actor=site.user, session=session, title=title)


def assert_error(frame: dict[str, Any], code: str) -> None:
    assert frame["type"] == "error"
    assert set(frame["error"]) == {"code", "message", "hint"}
    assert frame["error"]["code"] == code
    assert frame["error"]["message"]
