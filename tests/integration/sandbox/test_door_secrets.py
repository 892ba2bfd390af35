"""Secrets that the door (the network proxy) adds to requests of a real container: programs use them, and nothing inside
contains them."""

import asyncio
import gzip
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Final

import pytest

from sessions_app.workers.door import rules
from sessions_app.workers.door.links import WorkspaceLink
from sessions_app.workers.door.rules import WorkspaceRules
from tests.contract.sandbox.conftest import Sandbox
from tests.support.echo_server import EchoServer
from tests.support.lanes import EVERYTHING, sampled
from tests.support.shared_sandboxes import new_call
from tests.support.web_server import make_certificate
from tools_app.network.added_secrets import AddedSecret
from tools_app.network.judging import NetworkPolicy
from tools_app.network.upstream import Upstream
from tools_app.web.address import IpAddress
from tools_app.web.rules import WebRules

pytestmark = pytest.mark.docker

HOST: Final = "api.example.com"
OTHER: Final = "other.example.com"
VALUE: Final = "tok-5f0c1e77aa9931-canary"

REQUESTS: Final = "from pip._vendor import requests; print(requests.get('{url}', timeout=20).text)"
URLLIB: Final = "import urllib.request as r; print(r.urlopen('{url}', timeout=20).read().decode())"
FETCH: Final = "fetch('{url}').then(a => a.text()).then(console.log, e => {{ console.log(e); process.exit(1) }})"
PROGRAMS: Final = {
    "curl": "curl -sS -m 20 {url}",
    "wget": 'wget -q -T 20 -O- --ca-certificate="$SSL_CERT_FILE" {url}',
    "python3": f'python3 -c "{URLLIB}"',
    "requests": f'python3 -c "{REQUESTS}"',
    "node": f'node -e "{FETCH}"',
}
FOLDERS: Final = "/" if EVERYTHING else "/etc /home /run /tmp /var /workspace"
SEARCHED: Final = f"""
export | grep -c [t]{VALUE[1:]}; printenv | grep -c [t]{VALUE[1:]}
grep -l [t]{VALUE[1:]} /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null
grep -rl [t]{VALUE[1:]} {FOLDERS} --exclude-dir=proc --exclude-dir=sys 2>/dev/null | grep -v '^/proc'
true
"""


@dataclass
class Place:
    sandbox: Sandbox
    server: EchoServer
    link: WorkspaceLink

    async def run(self, command: str) -> tuple[int | None, str]:
        result = await self.sandbox.runtime.run(new_call(command))
        return result.exit_code, result.output.decode()


@asynccontextmanager
async def place(sandbox: Sandbox, tmp_path: Path) -> AsyncIterator[Place]:
    """Open the door (the network proxy) to a workspace whose policies allow every host, and serve two host names with a
    certificate that only the door trusts."""
    tls, certificate = make_certificate(tmp_path, HOST, OTHER)
    server = EchoServer()
    listening = await asyncio.start_server(server.answer, "127.0.0.1", 0, ssl=tls)
    server.port = listening.sockets[0].getsockname()[1]

    async def resolve(_host: str, _port: int) -> list[IpAddress]:
        return [ip_address("127.0.0.1")]

    exempted = WebRules(frozenset({(HOST, server.port), (OTHER, server.port)}))
    trusting = ssl.create_default_context(cafile=str(certificate))
    link = WorkspaceLink(sandbox.files.parent.parent, Upstream(exempted, resolve=resolve), lambda: trusting)
    try:
        while "http" not in await sandbox.shell("echo $HTTP_PROXY"):
            pass
        yield Place(sandbox, server, link)
    finally:
        link.close()
        listening.close()


@pytest.fixture(autouse=True)
def _open_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "_load_once", lambda _: WorkspaceRules(NetworkPolicy("open", "team"), (), ()))


def secret_for(server: EchoServer) -> AddedSecret:
    return AddedSecret("0198f6f0-0000-7000-8000-000000000000", "TOKEN", VALUE, (f"{HOST}:{server.port}",))


async def test_programs_reach_the_host_with_the_secret_and_never_have_it(
    fresh_sandbox: Sandbox, tmp_path: Path
) -> None:
    async with place(fresh_sandbox, tmp_path) as at:
        url = f"https://{HOST}:{at.server.port}/echo"
        assert (await at.run("echo $SSL_CERT_FILE"))[1].strip() == "/etc/ssl/certs/ca-certificates.crt"
        await at.link.use_secrets([secret_for(at.server)])
        for name, command in sampled([*PROGRAMS.items()], every=3):
            at.server.heads.clear()
            code, output = await at.run(command.format(url=url))
            assert code == 0, (name, output)
            assert f"Authorization: Bearer {VALUE}" in at.server.heads[-1], name
            assert "*" * len(VALUE) in output, (name, output)
            assert VALUE not in output
        await at.run(f"git ls-remote https://{HOST}:{at.server.port}/a.git")
        assert any("service=git-upload-pack" in head and VALUE in head for head in at.server.heads)
        code, output = await at.run(SEARCHED)
        assert output.split() == ["0", "0"], output
        pieces: list[bytes] = []

        async def keep(piece: bytes) -> None:
            pieces.append(piece)

        await at.sandbox.runtime.archive(keep, limit=1 << 30)
        assert VALUE.encode() not in gzip.decompress(b"".join(pieces))


async def test_other_hosts_stay_untouched_tunnels_and_plain_http_gets_no_secret(
    fresh_sandbox: Sandbox, tmp_path: Path
) -> None:
    async with place(fresh_sandbox, tmp_path) as at:
        await at.link.use_secrets([secret_for(at.server)])
        code, output = await at.run(f"curl -sSv -m 20 https://{OTHER}:{at.server.port}/")
        assert code != 0
        assert "Network door" not in output  # the server's own certificate, which programs do not know
        code, output = await at.run(f"curl -sS -m 20 http://{HOST}:{at.server.port}/")
        assert all(VALUE not in head for head in at.server.heads)


async def test_without_secrets_programs_trust_nothing_more(fresh_sandbox: Sandbox, tmp_path: Path) -> None:
    async with place(fresh_sandbox, tmp_path) as at:
        await at.link.use_secrets([secret_for(at.server)])
        assert "/tmp/certificates-" in (await at.run("echo $SSL_CERT_FILE"))[1]
        code, output = await at.run('echo x >> "$SSL_CERT_FILE" || rm -rf "$(dirname "$SSL_CERT_FILE")"')
        assert code != 0, output
        await at.link.use_secrets([])
        assert (await at.run("echo $SSL_CERT_FILE"))[1].strip() == "/etc/ssl/certs/ca-certificates.crt"
