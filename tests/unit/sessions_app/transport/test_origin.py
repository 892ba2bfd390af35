"""Pages and programs that may open a WebSocket of the site."""

from typing import Any, Final

import pytest
from pytest_django import Settings

from sessions_app.transport.ws.origin import OriginGuard

HOST: Final = b"agents.example.org:8443"


@pytest.fixture(autouse=True)
def _our_names(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["agents.example.org", "localhost", "[::1]"]
    settings.SITE_URL = "https://agents.example.org"
    settings.CSRF_TRUSTED_ORIGINS = ["https://tea.example.org"]


async def is_let_in(*headers: tuple[bytes, bytes], query: bytes = b"") -> bool:
    reached = []

    async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
        reached.append(scope)

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    sent = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message["type"])

    scope = {"type": "websocket", "path": "/ws/me", "headers": list(headers), "query_string": query}
    await OriginGuard(application)(scope, receive, send)
    assert bool(reached) != ("websocket.close" in sent)
    return bool(reached)


OURS: Final = (
    (b"https://agents.example.org:8443", HOST),
    (b"http://agents.example.org:8443", HOST),
    (b"HTTPS://AGENTS.EXAMPLE.ORG:8443", HOST),
    (b"https://agents.example.org", b"agents.example.org"),
    (b"https://agents.example.org:443", b"agents.example.org"),
    (b"http://agents.example.org", b"agents.example.org:80"),
    (b"https://agents.example.org", b"agents.example.org:443"),
    (b"http://localhost:8000", b"localhost:8000"),
    (b"http://[::1]:8000", b"[::1]:8000"),
    (b"http://[::1]", b"[::1]"),
    (b"https://agents.example.org", b"inner-name:8000"),  # the address that people use, behind a proxy
    (b"https://tea.example.org", HOST),  # named in the settings
)

OTHERS: Final = (
    b"",
    b"null",
    b"*",
    b"undefined",
    b"https://evil.example",
    b"https://agents.example.org:8444",  # another port
    b"https://agents.example.org:80443",
    b"https://agents.example.org:",
    b"https://sub.agents.example.org:8443",
    b"https://sub.agents.example.org",
    b"https://example.org:8443",
    b"https://agents.example.org.:8443",  # a trailing dot
    b"https://agents.example.org.evil.example:8443",
    b"https://evilagents.example.org:8443",
    b"https://agents.example.org@evil.example:8443",
    b"https://evil.example/agents.example.org:8443",
    b"https://evil.example#agents.example.org:8443",
    b"https://evil.example?agents.example.org:8443",
    b"https://evil.example\\agents.example.org:8443",
    b"https://agents.example.org:8443/",
    b"https://agents.example.org:8443 https://evil.example",
    b" https://agents.example.org:8443",
    b"https://user:word@agents.example.org:8443",
    b"https://xn--gents-3qa.example.org:8443",  # looks alike in another script
    "https://\u0430gents.example.org:8443".encode(),
    b"https://[::1]:8443",
    b"https://[::ffff:127.0.0.1]:8443",
    b"https://[::1",
    b"https://127.0.0.1:8443",
    b"https://2130706433:8443",
    b"file://",
    b"file:///etc/passwd",
    b"data:text/html,x",
    b"blob:https://agents.example.org:8443/1",
    b"ws://agents.example.org:8443",
    b"wss://agents.example.org:8443",
    b"ftp://agents.example.org:8443",
    b"javascript://agents.example.org:8443",
    b"chrome-extension://abcdefghijklmnop",
    b"moz-extension://0f0f0f0f-0f0f-0f0f-0f0f-0f0f0f0f0f0f",
    b"vscode-webview://agents.example.org",
    b"app://agents.example.org:8443",
    b"//agents.example.org:8443",
    b"agents.example.org:8443",
    b"http://localhost:8443",  # ours, but not what was asked
)


@pytest.mark.parametrize(("origin", "host"), OURS)
async def test_our_own_pages_are_let_in(origin: bytes, host: bytes) -> None:
    assert await is_let_in((b"origin", origin), (b"host", host))


@pytest.mark.parametrize("origin", OTHERS)
async def test_other_pages_are_not_whatever_they_show(origin: bytes) -> None:
    headers = (b"host", HOST), (b"origin", origin), (b"cookie", b"agentsite_session=x")
    assert not await is_let_in(*headers)
    assert not await is_let_in(*headers, query=b"ticket=abc")


async def test_a_page_and_a_host_that_agree_but_are_not_ours_are_not_let_in() -> None:
    assert not await is_let_in((b"origin", b"https://evil.example"), (b"host", b"evil.example"))


async def test_two_origins_or_two_hosts_are_none() -> None:
    ours, host = (b"origin", b"https://agents.example.org:8443"), (b"host", HOST)
    assert not await is_let_in(ours, (b"origin", b"https://evil.example"), host)
    assert not await is_let_in(ours, ours, host)
    assert not await is_let_in(ours, host, host)


async def test_over_https_a_page_that_came_without_it_is_not_ours(settings: Settings) -> None:
    settings.SESSION_COOKIE_SECURE = True
    assert not await is_let_in((b"origin", b"http://agents.example.org:8443"), (b"host", HOST))
    assert await is_let_in((b"origin", b"https://agents.example.org:8443"), (b"host", HOST))


async def test_a_program_must_show_a_ticket() -> None:
    assert not await is_let_in((b"host", HOST))
    assert not await is_let_in((b"host", HOST), (b"cookie", b"agentsite_session=x"))
    assert await is_let_in((b"host", HOST), query=b"ticket=abc")


@pytest.mark.parametrize("query", [b"notticket=1", b"x=ticket%3D1", b"x=ticket="])
async def test_what_only_looks_like_a_ticket_is_none(query: bytes) -> None:
    assert not await is_let_in((b"host", HOST), query=query)
