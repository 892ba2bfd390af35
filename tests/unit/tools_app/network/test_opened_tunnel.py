"""Secrets that the door (network proxy) adds to requests: real TLS on both sides, and the data that each side sees."""

import asyncio
import base64
import contextlib
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

import httpx
import pytest

from tests.support.echo_server import EchoServer
from tests.support.web_server import make_certificate
from tools_app.network.added_secrets import AddedSecret
from tools_app.network.authority import HostAuthority
from tools_app.network.destination import ConnectionRefused, Guard
from tools_app.network.opened_tunnel import OpenedHost
from tools_app.network.proxy import Proxy
from tools_app.network.relay import Meter
from tools_app.network.upstream import Upstream
from tools_app.web.address import IpAddress, WebAddress
from tools_app.web.rules import WebRules

HOST = "api.example.com"
VALUE = "tok-9f31c0ffee77aa"


@dataclass
class Door:
    server: EchoServer
    secrets: list[AddedSecret]
    url: str
    trust: ssl.SSLContext
    used: list[AddedSecret] = field(default_factory=list)
    allowed: bool = True

    def client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(proxy=self.url, trust_env=False, verify=self.trust)

    @property
    def origin(self) -> str:
        return f"https://{HOST}:{self.server.port}"


@asynccontextmanager
async def door(tmp_path: Path, *secrets: AddedSecret, trusted: bool = True) -> AsyncIterator[Door]:
    """Run a door (proxy) that adds the secrets, in front of a server whose certificate has a private authority."""
    serving, certificate = make_certificate(tmp_path, HOST, "other.example")
    server = EchoServer()
    listening = await asyncio.start_server(server.answer, "127.0.0.1", 0, ssl=serving)
    server.port = listening.sockets[0].getsockname()[1]
    authority = HostAuthority(b"k" * 32, "wsp_1", [HOST])
    verify = ssl.create_default_context(cafile=str(certificate) if trusted else None)
    trust = ssl.create_default_context(cadata=authority.pem)
    trust.verify_flags |= ssl.VERIFY_X509_STRICT
    opened = Door(server, list(secrets), "", trust)

    async def resolve(host: str, _port: int) -> Sequence[IpAddress]:
        return [ip_address("127.0.0.1")]

    async def judge(address: WebAddress) -> None:
        if not opened.allowed:
            raise ConnectionRefused(f"{address.host} is refused.")

    async def report(_address: WebAddress, _refusal: ConnectionRefused) -> None:
        pass

    def find(address: WebAddress) -> OpenedHost | None:
        if address.host != HOST:
            return None
        return OpenedHost(authority.context_for(HOST), verify, lambda: opened.secrets, opened.used.extend)

    upstream = Upstream(WebRules(frozenset({(HOST, server.port), ("other.example", server.port)})), resolve=resolve)
    proxy = await asyncio.start_server(
        Proxy(Guard(judge, report), upstream, Meter(), opened=find).serve, "127.0.0.1", 0
    )
    opened.url = f"http://127.0.0.1:{proxy.sockets[0].getsockname()[1]}"
    try:
        yield opened
    finally:
        proxy.close()
        listening.close()


def secret(added_as: str = "bearer", added_name: str = "", value: str = VALUE) -> AddedSecret:
    return AddedSecret("var_1", "TOKEN", value, (HOST,), added_as, added_name)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        (secret(), f"Authorization: Bearer {VALUE}"),
        (
            secret("basic", value=f"bot:{VALUE}"),
            f"Authorization: Basic {base64.b64encode(f'bot:{VALUE}'.encode()).decode()}",
        ),
        (secret("header", "X-Api-Key"), f"X-Api-Key: {VALUE}"),
        (secret("query", "key"), f"GET /v1?a=1&key={VALUE} HTTP/1.1"),
    ],
)
async def test_a_secret_is_added_and_covered_where_the_server_repeats_it(
    added: AddedSecret, expected: str, tmp_path: Path
) -> None:
    async with door(tmp_path, added) as opened, opened.client() as http:
        answer = await http.get(f"{opened.origin}/v1?a=1&key=mine", headers={"x-api-key": "mine"})
    assert expected in opened.server.heads[0]
    assert answer.status_code == 200
    assert VALUE not in answer.text
    assert base64.b64encode(VALUE.encode()).decode()[:-4] not in answer.text
    assert "*****" in answer.text
    assert opened.used == [added]


async def test_the_programs_own_header_is_replaced_and_others_are_kept(tmp_path: Path) -> None:
    async with door(tmp_path, secret()) as opened, opened.client() as http:
        await http.get(opened.origin, headers={"authorization": "Bearer placeholder", "x-own": "kept"})
    (head,) = opened.server.heads
    assert "placeholder" not in head
    assert "x-own: kept" in head.lower()
    assert "accept-encoding: identity" in head.lower()


async def test_one_connection_carries_many_requests_and_a_changed_secret_counts_for_the_next(tmp_path: Path) -> None:
    async with door(tmp_path, secret()) as opened, opened.client() as http:
        for number in range(3):
            answer = await http.post(f"{opened.origin}/{number}", content=b"x" * 100_000)
            assert answer.status_code == 200
            opened.secrets = [secret(value=f"{VALUE}{number}")]
    assert opened.server.connections == 1
    assert f"Bearer {VALUE}1" in opened.server.heads[2]


async def test_a_request_for_another_host_in_the_tunnel_is_refused(tmp_path: Path) -> None:
    async with door(tmp_path, secret()) as opened, opened.client() as http:
        answer = await http.get(opened.origin, headers={"host": "other.example"})
    assert answer.status_code == 421
    assert opened.server.heads == []


async def test_plain_http_and_other_hosts_never_get_it(tmp_path: Path) -> None:
    async with door(tmp_path, secret()) as opened, opened.client() as http:
        with contextlib.suppress(httpx.HTTPError):
            await http.get(f"http://{HOST}:{opened.server.port}/")
        with pytest.raises(httpx.ConnectError, match="certificate verify failed"):
            await http.get(f"https://other.example:{opened.server.port}/")
    assert opened.server.heads == []
    assert opened.used == []


async def test_a_server_whose_certificate_is_not_valid_gets_nothing(tmp_path: Path) -> None:
    async with door(tmp_path, secret(), trusted=False) as opened, opened.client() as http:
        with pytest.raises(httpx.ProxyError, match=f"{HOST}.* could not be trusted: self-signed certificate"):
            await http.get(opened.origin)
    assert opened.server.heads == []


async def test_the_rules_judge_the_host_as_before(tmp_path: Path) -> None:
    async with door(tmp_path, secret()) as opened, opened.client() as http:
        opened.allowed = False
        with pytest.raises(httpx.ProxyError, match="is refused"):
            await http.get(opened.origin)
    assert opened.server.heads == []


async def test_bodies_that_are_no_text_pass_as_they_are(tmp_path: Path) -> None:
    async with door(tmp_path, secret()) as opened, opened.client() as http:
        opened.server.kind, opened.server.more = "application/octet-stream", f"X-Echo: a {VALUE}\r\n"
        answer = await http.get(opened.origin)
    assert VALUE in answer.text
    assert answer.headers["x-echo"] == "a " + "*" * len(VALUE)


def test_an_authority_can_sign_for_its_hosts_only(tmp_path: Path) -> None:
    authority = HostAuthority(b"k" * 32, "wsp_1", [HOST])
    client = ssl.create_default_context(cadata=authority.pem)
    client.verify_flags |= ssl.VERIFY_X509_STRICT
    assert _shaken(client, authority.context_for(HOST), HOST) == ""
    assert "permitted subtree" in _shaken(client, authority.context_for("bank.example"), "bank.example")


def test_each_workspace_has_an_authority_of_its_own_which_restarts_keep() -> None:
    first, again = (HostAuthority(b"k" * 32, "wsp_1", [HOST]) for _ in range(2))
    other = HostAuthority(b"k" * 32, "wsp_2", [HOST])
    client = ssl.create_default_context(cadata=first.pem)
    assert _shaken(client, again.context_for(HOST), HOST) == ""
    assert "verify failed" in _shaken(client, other.context_for(HOST), HOST)


def _shaken(client: ssl.SSLContext, server: ssl.SSLContext, host: str) -> str:
    """Make a TLS handshake in memory; return its error, or ""."""
    one, two = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = client.wrap_bio(one, two, server_hostname=host), server.wrap_bio(two, one, server_side=True)
    try:
        for _ in range(4):
            for end in ends:
                with contextlib.suppress(ssl.SSLWantReadError):
                    end.do_handshake()
    except ssl.SSLError as error:
        return str(error)
    return ""
