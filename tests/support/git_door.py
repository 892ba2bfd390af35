"""The git part of the door (the network proxy) without a database, between real git and the forge of the tests."""

import asyncio
import base64
import os
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from deploy.demo_forge import Account, Forge, ForgeRepository
from tools_app.network.destination import ConnectionRefused, Guard
from tools_app.network.git.door import GitDoor
from tools_app.network.git.judging import JudgedPush, PushRules
from tools_app.network.git.server import Destination, Servers
from tools_app.network.git.side import RepositoryRefused
from tools_app.network.git.signing import Signer
from tools_app.network.git.target import Service
from tools_app.network.proxy import Proxy
from tools_app.network.relay import Meter
from tools_app.network.upstream import Upstream
from tools_app.web.address import WebAddress
from tools_app.web.rules import WebRules


@dataclass
class GivenSide:
    """The settings of the git part of a door (network proxy): one repository, and the token of one account. `rules`
    decide about pushes; `reported` are the refused pushes."""

    repository: ForgeRepository
    account: Account
    rules: PushRules = field(default_factory=PushRules)
    refusal: str = ""
    renews: bool = False
    """Whether the account gets a new token when the server does not accept the present one."""
    signs: Signer | None = None
    reported: list[JudgedPush] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    allowed: set[str] = field(default_factory=set)
    """Hosts with ports that programs may connect to besides the repository's server."""
    refused: list[str] = field(default_factory=list)

    async def judge(self, address: WebAddress) -> None:
        if address.authority not in self.allowed:
            raise ConnectionRefused(f"{address.authority} is refused: no rule allows this host.", may_ask=True)

    async def tell(self, address: WebAddress, _refusal: ConnectionRefused) -> None:
        self.refused.append(address.authority)

    async def destination(self, name: str) -> Destination:
        if self.refusal or name != "shop":
            raise RepositoryRefused(self.refusal or "This workspace reaches tea/shop and no other repository.")
        secret = base64.b64encode(f"git:{self.account.token}".encode())
        headers = ((b"Authorization", b"Basic " + secret),)
        return Destination(name, self.repository.clone_url, self.repository.full_name, headers)

    async def renewed(self, destination: Destination) -> Destination | None:
        if not self.renews:
            return None
        self.account.renew()
        return await self.destination(destination.name)

    async def signer(self) -> Signer:
        if self.signs is None:
            raise RepositoryRefused("Commits of this project are not signed.")
        return self.signs

    async def push_rules(self) -> PushRules:
        return self.rules

    async def rejected(self, destination: Destination, service: Service, status: int) -> str:
        self.statuses.append(status)
        return f"{destination.title} does not accept the credential."

    async def report(self, refused: JudgedPush) -> None:
        self.reported.append(refused)


@dataclass
class OpenGitDoor:
    """A running door (network proxy), and a folder for checkouts."""

    side: GivenSide
    url: str
    folder: Path
    meter: Meter

    @property
    def origin(self) -> str:
        return f"{self.url}/git/shop.git"

    async def git(self, *arguments: str, at: str = ".", **variables: str) -> subprocess.CompletedProcess[str]:
        return await asyncio.to_thread(run_git, self.folder / at, *arguments, **variables)

    async def commit(self, at: str, name: str, content: str, message: str = "Change") -> None:
        path = self.folder / at / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        await self.git("add", "-A", at=at)
        done = await self.git("commit", "-q", "-m", message, at=at)
        assert done.returncode == 0, done.stderr


def run_git(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Kim", "GIT_AUTHOR_EMAIL": "kim@example.org",
        "GIT_COMMITTER_NAME": "Kim", "GIT_COMMITTER_EMAIL": "kim@example.org", **variables,
    }  # fmt: skip
    return subprocess.run(
        ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False, env=environment, timeout=60
    )


@asynccontextmanager
async def git_door(site: Forge, side: GivenSide, folder: Path, *, also: str = "") -> AsyncIterator[OpenGitDoor]:
    """Run a door (network proxy) that leads to the repository of `side`. It may reach the forge `site` and the host and
    port `also`."""
    upstream = Upstream(WebRules.exempting(filter(None, (site.place, also))))
    meter = Meter()
    guard = Guard(side.judge, side.tell)
    git = GitDoor(side, Servers(upstream, ssl.create_default_context), meter, guard)
    proxy = Proxy(guard, upstream, meter, git)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    try:
        yield OpenGitDoor(side, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", folder, meter)
    finally:
        server.close()
