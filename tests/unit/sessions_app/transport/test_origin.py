"""Which pages and programs may open a socket."""

from typing import Any

import pytest
from pytest_django import Settings

from sessions_app.transport.ws.origin import OriginGuard


async def is_let_in(headers: list[tuple[bytes, bytes]], query: bytes = b"") -> bool:
    reached = []

    async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
        reached.append(scope)

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    sent = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message["type"])

    scope = {"type": "websocket", "path": "/ws/me", "headers": headers, "query_string": query}
    await OriginGuard(application)(scope, receive, send)
    assert bool(reached) != ("websocket.close" in sent)
    return bool(reached)


@pytest.mark.parametrize("origin", [b"http://localhost:8000", b"https://LOCALHOST", b"http://127.0.0.1"])
async def test_our_own_pages_are_let_in(origin: bytes) -> None:
    assert await is_let_in([(b"origin", origin)])


@pytest.mark.parametrize(
    "origin", [b"https://evil.example", b"null", b"", b"http://localhost.evil.example", b"file://", b"http://[::1"]
)
async def test_other_pages_are_not(origin: bytes) -> None:
    assert not await is_let_in([(b"origin", origin)])


async def test_a_ticket_does_not_open_the_door_to_another_page() -> None:
    assert not await is_let_in([(b"origin", b"https://evil.example")], b"ticket=abc")


async def test_an_ipv6_address_of_ours_is_let_in(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["[::1]"]
    assert await is_let_in([(b"origin", b"http://[::1]:8000")])


async def test_a_program_must_show_a_ticket() -> None:
    assert not await is_let_in([])
    assert await is_let_in([], b"ticket=abc")


@pytest.mark.parametrize("query", [b"notticket=1", b"x=ticket%3D1", b"x=ticket="])
async def test_what_only_looks_like_a_ticket_is_none(query: bytes) -> None:
    assert not await is_let_in([], query)
