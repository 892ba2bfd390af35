"""Real git through the door (the network proxy) to an SSH server: clones, pushes under rules, and refused keys."""

import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import asyncssh
import pytest

from deploy.demo_forge import Forge, ForgeRepository, forge
from tests.support.git_door import GivenSide, OpenGitDoor, git_door
from tests.support.ssh_forge import SshForge, ssh_forge
from tools_app.network.git.judging import PushRules
from tools_app.network.git.server import Destination
from tools_app.network.git.ssh_address import parse_ssh, stored_place
from tools_app.network.git.ssh_keys import SshLogin, fingerprint, new_key
from tools_app.permission.model import Layer, Rule
from tools_app.web.address import BadAddress

KEY = new_key("agentsite-tea")
OTHER = new_key("other")


@dataclass
class SshSide(GivenSide):
    """A repository that is reached over SSH."""

    at: str = ""
    login: SshLogin | None = None

    async def destination(self, name: str) -> Destination:
        return Destination(name, f"{self.at}/tea/shop.git", "tea/shop", ssh=self.login)


@pytest.fixture(scope="module")
def site() -> Iterator[Forge]:
    with forge() as running:
        yield running


@pytest.fixture(params=[True, False], ids=["version 2", "version 0"])
def server(request: pytest.FixtureRequest, site: Forge) -> Iterator[SshForge]:
    with ssh_forge(speaks_v2=request.param) as running:
        running.allow(KEY.public)
        files = {"README.md": "# Tea\n", ".github/workflows/ci.yml": "on: push\n"}
        running.repositories["tea/shop.git"] = site.repository(f"ssh{uuid.uuid4().hex}/shop", files)
        yield running


@pytest.fixture
async def door(site: Forge, server: SshForge, tmp_path: Path) -> AsyncIterator[OpenGitDoor]:
    """Run the door's git proxy in front of an SSH server. The repository is cloned through it, and the clone has a new
    branch with one commit."""
    own = Layer("project", [Rule("git_push", "agentsite/*", "allow")])
    shop = server.repositories["tea/shop.git"]
    host_key = server.host_key.export_public_key().decode()
    login = SshLogin(KEY.private, host_key)
    side = SshSide(shop, site.account("kim"), PushRules((own,), (), "main"), at=server.address, login=login)
    async with git_door(site, side, tmp_path, also=server.place) as opened:
        cloned = await opened.git("clone", "-q", opened.origin, "shop")
        assert cloned.returncode == 0, cloned.stderr
        await opened.git("checkout", "-q", "-b", "agentsite/x", at="shop")
        await opened.commit("shop", "README.md", "# Green tea\n")
        yield opened


def shop_of(server: SshForge) -> ForgeRepository:
    return server.repositories["tea/shop.git"]


async def test_fetch_and_push_work_and_each_push_is_judged(door: OpenGitDoor, server: SshForge) -> None:
    done = await door.git("push", "-q", "origin", "HEAD", at="shop")
    assert done.returncode == 0, done.stderr
    assert set(shop_of(server).heads()) == {"main", "agentsite/x"}
    shop_of(server).commit({"new.txt": "new\n"})
    assert (await door.git("pull", "-q", "--no-rebase", "origin", "main", at="shop")).returncode == 0
    assert (door.folder / "shop" / "new.txt").read_text() == "new\n"
    await door.commit("shop", "a.txt", "a\n")
    again = await door.git("push", "-q", "origin", "HEAD", at="shop")
    assert again.returncode == 0, again.stderr
    refused = await door.git("push", "origin", "HEAD:main", at="shop")
    assert "Pushing to main is not allowed." in refused.stderr
    await door.commit("shop", ".github/workflows/ci.yml", "on: [push]\n")
    workflows = await door.git("push", "origin", "HEAD", at="shop")
    assert "Changing files for a CI service on agentsite/x (.github/workflows) needs" in workflows.stderr
    await door.git("commit", "-q", "--amend", "-m", "Other", at="shop")
    await door.git("reset", "-q", "--hard", "HEAD~2", at="shop")
    forced = await door.git("push", "-f", "origin", "HEAD", at="shop")
    assert "Replacing commits of agentsite/x is not allowed" in forced.stderr
    assert {command.split()[0] for command in server.commands} == {"git-upload-pack", "git-receive-pack"}


async def test_shallow_and_partial_clones_work(door: OpenGitDoor, server: SshForge) -> None:
    shop_of(server).commit({"README.md": "# Black tea\n"})
    for option in ("--depth=1", "--filter=blob:none"):
        done = await door.git("clone", "-q", option, door.origin, option.strip("-"))
        assert done.returncode == 0, done.stderr
        assert (door.folder / option.strip("-") / "README.md").read_text() == "# Black tea\n"


async def test_a_key_that_may_only_read_or_nothing_is_said_plainly(door: OpenGitDoor, server: SshForge) -> None:
    server.allow(KEY.public, push=False)
    read_only = await door.git("push", "origin", "HEAD", at="shop")
    assert "does not accept the credential" in read_only.stderr
    server.keys.clear()
    unknown = await door.git("fetch", at="shop")
    assert "does not accept the credential" in unknown.stderr
    assert door.side.statuses == [403, 401]
    server.allow(KEY.public)
    shop = server.repositories.pop("tea/shop.git")
    gone = await door.git("fetch", at="shop")
    assert "The repository tea/shop does not exist" in gone.stderr
    server.repositories["tea/shop.git"] = shop


async def test_another_host_key_is_refused_before_anything_is_sent(door: OpenGitDoor, server: SshForge) -> None:
    side = door.side
    assert isinstance(side, SshSide)
    server.commands.clear()
    for known, said in ((OTHER.public, fingerprint(OTHER.public)), ("", "is not known yet")):
        side.login = SshLogin(KEY.private, known)
        refused = await door.git("fetch", at="shop")
        assert said in refused.stderr
    rsa = asyncssh.generate_private_key("ecdsa-sha2-nistp256").export_public_key().decode()
    side.login = SshLogin(KEY.private, rsa)
    refused = await door.git("fetch", at="shop")
    # without a kind of key in common, the server may hang up before the client says why
    assert any(words in refused.stderr for words in ("is not the one of the first test", "does not answer"))
    assert server.commands == []


@pytest.mark.parametrize(
    ("text", "stored", "path"),
    [
        ("git@git.example.org:tea/shop.git", "ssh://git@git.example.org/tea/shop.git", "tea/shop.git"),
        ("git.example.org:shop.git", "ssh://git@git.example.org/shop.git", "shop.git"),
        (
            "ssh://git@Git.example.org:2222/srv/shop.git",
            "ssh://git@git.example.org:2222//srv/shop.git",
            "/srv/shop.git",
        ),
        ("git@[2606:4700::1]:~/a", "ssh://git@[2606:4700::1]/~/a", "~/a"),
        ("deploy@git.example.org", "ssh://deploy@git.example.org", ""),
        ("ssh://git.example.org:22", "ssh://git@git.example.org", ""),
    ],
)
def test_addresses_of_ssh_have_one_spelling(text: str, stored: str, path: str) -> None:
    place = parse_ssh(text)
    assert (str(place), place.path) == (stored, path)
    assert stored_place(stored) == place


@pytest.mark.parametrize(
    "text",
    [
        "", "https://git.example.org/a", "git@host:a b", "git@host:../a", "git@-x:a", "git@host:a;id", "a b@host:c",
        "ssh://git:secret@host/a", "git@host:-x", "git@2130706433:a", "ext::sh -c id",
    ],
)  # fmt: skip
def test_what_is_no_address_of_ssh_is_refused(text: str) -> None:
    with pytest.raises(BadAddress):
        parse_ssh(text)
