"""The proxy over real sockets: forwarded requests, immediate refusals, and the data that each side sees."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

import httpx
import pytest

from tests.support.web_server import WebServer, make_certificate, page, serving
from tools_app.network.destination import ConnectionRefused, Guard
from tools_app.network.proxy import Proxy
from tools_app.network.refusing import MAX_REFUSALS
from tools_app.network.relay import Meter
from tools_app.network.upstream import Streams, Upstream
from tools_app.web.address import IpAddress, WebAddress
from tools_app.web.rules import WebRules


@dataclass
class Rules:
    """Rules of the proxy: the `allowed` hosts, and `exempted` (host, port) pairs. `reported` are the refusals."""

    allowed: set[str] = field(default_factory=set)
    exempted: set[tuple[str, int]] = field(default_factory=set)
    reported: list[tuple[str, bool]] = field(default_factory=list)

    async def judge(self, address: WebAddress) -> None:
        if address.host not in self.allowed:
            raise ConnectionRefused(f"{address.host} is refused: no rule allows it.", may_ask=True)

    async def report(self, address: WebAddress, refusal: ConnectionRefused) -> None:
        self.reported.append((address.host, refusal.may_ask))


@dataclass
class Door:
    rules: Rules
    meter: Meter
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def say(self, request: str) -> bytes:
        """Send a request, and return everything that the door sends until it closes the connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(request.encode("latin-1"))
        async with asyncio.timeout(10):
            answer = await reader.read()
        writer.close()
        return answer


Names = dict[str, Sequence[str]]


@asynccontextmanager
async def door(rules: Rules, names: Names | None = None) -> AsyncIterator[Door]:
    async def resolve(host: str, port: int) -> list[IpAddress]:
        if host not in (names or {}):
            raise OSError("no such name")
        return [ip_address(each) for each in (names or {})[host]]

    opened = Door(rules, Meter())
    upstream = Upstream(WebRules(frozenset(rules.exempted)), resolve=resolve)
    proxy = Proxy(Guard(rules.judge, rules.report), upstream, opened.meter)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    opened.port = server.sockets[0].getsockname()[1]
    try:
        yield opened
    finally:
        server.close()


def allowing(server: WebServer, host: str = "127.0.0.1") -> Rules:
    return Rules({host}, {(host, server.port)})


async def test_a_plain_request_is_passed_on_with_its_body_and_counted() -> None:
    async def echo(writer: asyncio.StreamWriter) -> None:
        writer.write(page("got it", "text/plain", X_Own="kept"))

    async with (
        serving({"/up?a=1": echo}) as server,
        door(allowing(server)) as opened,
        httpx.AsyncClient(proxy=opened.url, trust_env=False) as http,
    ):
        answer = await http.post(f"http://{server.place}/up?a=1", content=b"x" * 100_000)
    assert (answer.status_code, answer.text, answer.headers["x-own"]) == (200, "got it", "kept")
    assert opened.meter.total > 100_000


async def test_the_host_header_is_that_of_the_address() -> None:
    heads: list[str] = []

    async def keep(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(page("ok"))
        await writer.drain()
        writer.close()

    listening = await asyncio.start_server(keep, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    async with door(Rules({"127.0.0.1"}, {("127.0.0.1", port)})) as opened:
        await opened.say(
            f"GET http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: bank.example\r\nProxy-Authorization: Basic eDp5\r\n\r\n"
        )
    listening.close()
    assert f"Host: 127.0.0.1:{port}".lower() in heads[0].lower()
    assert "bank.example" not in heads[0]
    assert "authorization" not in heads[0].lower()


async def test_a_tunnel_carries_tls_to_the_host_that_it_names(tmp_path: Path) -> None:
    tls, authority = make_certificate(tmp_path)
    async with (
        serving({"/": page("secret", "text/plain")}, tls=tls) as server,
        door(allowing(server)) as opened,
        httpx.AsyncClient(
            proxy=opened.url, verify=ssl.create_default_context(cafile=authority), trust_env=False
        ) as http,
    ):
        answer = await http.get(f"https://{server.place}/")
    assert answer.text == "secret"


async def test_a_refusal_is_answered_at_once_with_its_sentence_and_reported() -> None:
    rules = Rules()
    async with door(rules) as opened:
        tunnel = await opened.say("CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n")
        plain = await opened.say("GET http://example.org/ HTTP/1.1\r\nHost: example.org\r\n\r\n")
    for answer in (tunnel, plain):
        assert answer.startswith(b"HTTP/1.1 403 example.org is refused: no rule allows it.\r\n")
        assert answer.endswith(b"\r\n\r\nexample.org is refused: no rule allows it.\n")
    assert rules.reported == [("example.org", True)] * 2


NODE_AGENT = "CONNECT {host}:443 HTTP/1.1\r\nHost: {host}:443\r\nProxy-Connection: Keep-Alive\r\n\r\n"


async def test_an_agent_that_connects_again_and_again_gets_no_answer_in_the_end() -> None:
    rules = Rules()
    async with door(rules) as opened:
        answers = [await opened.say(NODE_AGENT.format(host="example.org")) for _ in range(MAX_REFUSALS + 2)]
        other = await opened.say(NODE_AGENT.format(host="example.com"))
        curl = await opened.say(
            NODE_AGENT.format(host="example.org").replace("\r\n\r\n", "\r\nUser-Agent: curl\r\n\r\n")
        )
    assert {answer[:12] for answer in (*answers[:MAX_REFUSALS], other, curl)} == {b"HTTP/1.1 403"}
    assert answers[MAX_REFUSALS:] == [b"", b""]
    assert len(rules.reported) == MAX_REFUSALS + 4


async def test_yarn_1_which_tries_again_what_is_refused_gets_an_alert_of_tls() -> None:
    rules = Rules()
    request = "CONNECT example.org:443 HTTP/1.1\r\nUser-Agent: yarn/1.22.22 npm/?\r\nHost: example.org:443\r\n\r\n"
    async with door(rules) as opened:
        reader, writer = await asyncio.open_connection("127.0.0.1", opened.port)
        program = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = ssl.create_default_context().wrap_bio(*program, server_hostname="example.org")
        writer.write(request.encode())
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
        with pytest.raises(ssl.SSLWantReadError):
            tls.do_handshake()
        writer.write(program[1].read())
        async with asyncio.timeout(10):
            program[0].write(await reader.read())
        with pytest.raises(ssl.SSLError, match="alert access denied"):
            tls.do_handshake()
        writer.close()
    assert rules.reported == [("example.org", True)]


@pytest.mark.parametrize(
    "target",
    ["127.0.0.1:80", "localhost:443", "169.254.169.254:80", "[::1]:443", "[::ffff:127.0.0.1]:443", "10.0.0.1:443",
     "metadata.google.internal:80", "127.0.0.1.:443", "pypi.org:22"],
)  # fmt: skip
async def test_nobody_is_asked_about_an_address_that_is_never_allowed(target: str) -> None:
    rules = Rules()
    async with door(rules) as opened:
        answer = await opened.say(f"CONNECT {target} HTTP/1.1\r\nHost: x\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 403 ")
    assert [may_ask for _, may_ask in rules.reported] == [False]


@pytest.mark.parametrize("addresses", [("127.0.0.1",), ("10.0.0.5",), ("93.184.216.34", "127.0.0.1"), ("::1",), ()])
async def test_an_allowed_name_that_leads_inside_is_refused(addresses: Sequence[str]) -> None:
    rules = Rules({"inside.example.org"})
    async with door(rules, {"inside.example.org": addresses}) as opened:
        answer = await opened.say("CONNECT inside.example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 403 ")
    assert rules.reported == [("inside.example.org", False)]


async def test_a_name_that_does_not_exist_is_said() -> None:
    async with door(Rules({"gone.example.org"})) as opened:
        answer = await opened.say("CONNECT gone.example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 502 The host gone.example.org was not found.\r\n")


@pytest.mark.parametrize(
    "request_text",
    ["GET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET https://example.org/ HTTP/1.1\r\nHost: x\r\n\r\n",
     "CONNECT example.org:443/path HTTP/1.1\r\nHost: x\r\n\r\n",
     "CONNECT user@example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n",
     "GET http://2130706433/ HTTP/1.1\r\nHost: x\r\n\r\n", "GET file:///etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n"],
)  # fmt: skip
async def test_a_request_that_names_no_address_is_answered_with_what_is_wrong(request_text: str) -> None:
    async with door(Rules()) as opened:
        answer = await opened.say(request_text)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"This is the proxy of the workspace." in answer


@pytest.mark.parametrize(
    "garbage", ["\0" * 100, "GET " + "a" * 200_000, "\x16\x03\x01\x02\x00", "A B C D E\r\n\r\n", ""]
)
async def test_garbage_ends_the_connection_and_nothing_else(garbage: str) -> None:
    async with serving({"/": page("still here")}) as server, door(allowing(server)) as opened:
        reader, writer = await asyncio.open_connection("127.0.0.1", opened.port)
        writer.write(garbage.encode("latin-1"))
        writer.write_eof()
        with contextlib.suppress(ConnectionResetError):
            async with asyncio.timeout(10):
                assert b"200" not in await reader.read()
        writer.close()
        answer = await opened.say(f"GET http://{server.place}/ HTTP/1.1\r\nHost: x\r\n\r\n")
    assert b"still here" in answer


async def _through_tunnel(opened: Door, host: str, first: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", opened.port)
    writer.write(f"CONNECT {host}:443 HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    await reader.readuntil(b"\r\n\r\n")
    writer.write(first)
    async with asyncio.timeout(10):
        answer = await reader.read()
    writer.close()
    return answer


async def test_through_a_tunnel_passes_only_tls_to_the_same_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tunnel passes only TLS to the host that was requested. The host has a public name, but its connection is
    redirected to a server of this test."""
    from tests.unit.tools_app.network.test_server_name import greeting

    got: list[bytes] = []

    async def keep(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        got.append(await reader.read(10_000))
        writer.write(b"answer")
        writer.close()

    listening = await asyncio.start_server(keep, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    real = asyncio.open_connection

    async def lead(host: str, port_: int, *, limit: int = 1 << 16, **_: None) -> Streams:
        return await real(*(("127.0.0.1", port) if host == "93.184.216.34" else (host, port_)), limit=limit)

    monkeypatch.setattr(asyncio, "open_connection", lead)
    async with door(Rules({"good.example.org"}), {"good.example.org": ["93.184.216.34"]}) as opened:
        assert await _through_tunnel(opened, "good.example.org", greeting("good.example.org")) == b"answer"
        assert await _through_tunnel(opened, "good.example.org", greeting("other.example.org")) == b""
        assert await _through_tunnel(opened, "good.example.org", greeting(None)) == b""
        assert await _through_tunnel(opened, "good.example.org", b"GET / HTTP/1.1\r\n\r\n") == b""
    listening.close()
    assert [each for each in got if each] == [got[0]]
    assert b"good.example.org" in got[0]


async def test_a_workspace_that_downloads_too_fast_is_slowed_down() -> None:
    began = asyncio.get_running_loop().time()
    meter = Meter(rate=1_000_000, burst=100_000)
    for _ in range(4):
        await meter.receive(100_000)
    assert asyncio.get_running_loop().time() - began >= 0.29
    assert meter.total == 400_000
