"""Real git-lfs through the door (the network proxy) to a real server: transfers, their destinations, and refusals."""

import itertools
import os
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from deploy.demo_forge import Forge, ForgeRepository, forge
from deploy.demo_forge.lfs import pointer
from tests.support.git_door import GivenSide, OpenGitDoor, git_door
from tools_app.network.git.judging import DecidedPush, PushRules
from tools_app.network.git.lfs import messages
from tools_app.network.git.server import Destination
from tools_app.network.git.ssh_keys import SshLogin
from tools_app.permission.model import Action, Layer, Rule

NUMBERS = itertools.count(1)
ATTRIBUTES = "*.bin filter=lfs diff=lfs merge=lfs -text\n"
PICTURE = b"\x89PNG" + os.urandom(200_000)
OTHER = os.urandom(1_000)


@pytest.fixture(scope="module")
def site() -> Iterator[Forge]:
    with forge() as running:
        yield running


@pytest.fixture(scope="module")
def storage() -> Iterator[Forge]:
    """Run a second forge as a separate host for file storage."""
    with forge() as running:
        yield running


@pytest.fixture
def shop(site: Forge) -> Iterator[ForgeRepository]:
    made = site.repository(f"lfs{next(NUMBERS)}/shop", {".gitattributes": ATTRIBUTES})
    made.commit({"picture.bin": pointer(made.lfs, PICTURE), "other.bin": pointer(made.lfs, OTHER)})
    yield made
    site.lfs_storage = site.own_lfs_storage.redirects_to = None


@pytest.fixture
async def door(site: Forge, storage: Forge, shop: ForgeRepository, tmp_path: Path) -> AsyncIterator[OpenGitDoor]:
    """Run the git proxy of the door, and configure git with LFS as in the sandbox image."""
    shop.writers.add("kim")
    async with git_door(site, GivenSide(shop, site.account("kim")), tmp_path, also=storage.place) as opened:
        allow(opened, "agentsite/*")
        (tmp_path / ".gitconfig").write_text(
            '[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n'
            "\tprocess = git-lfs filter-process\n\trequired = true\n"
            "[lfs]\n\tskipDownloadErrors = true\n\tlocksVerify = true\n"
            '[lfs "transfer"]\n\tmaxRetries = 1\n\tmaxRetryDelay = 1\n'
        )
        yield opened


def allow(door: OpenGitDoor, pattern: str, action: Action = "allow") -> None:
    door.side.rules = PushRules([Layer("project", [Rule("git_push", pattern, action)])], (), "main")


async def git(door: OpenGitDoor, *arguments: str, at: str = "shop") -> str:
    done = await door.git(*arguments, at=at, HOME=str(door.folder))
    return f"{'' if done.returncode == 0 else 'failed '}{done.stdout}{done.stderr}"


async def clone(door: OpenGitDoor) -> str:
    printed = await git(door, "clone", "-q", door.origin, "shop", at=".")
    await git(door, "lfs", "install", "--local")
    await git(door, "checkout", "-q", "-b", "agentsite/x")
    return printed


async def commit(door: OpenGitDoor, name: str, content: bytes) -> None:
    (door.folder / "shop" / name).write_bytes(content)
    await git(door, "add", "-A")
    assert "failed" not in await git(door, "commit", "-qm", "Add a file")


def is_there(door: OpenGitDoor, name: str, content: bytes) -> bool:
    return (door.folder / "shop" / name).read_bytes() == content


async def test_files_are_cloned_fetched_and_pushed_and_no_credential_is_inside(
    door: OpenGitDoor, site: Forge, shop: ForgeRepository
) -> None:
    assert "failed" not in await clone(door)
    assert is_there(door, "picture.bin", PICTURE)
    shop.commit({"new.bin": pointer(shop.lfs, b"new" * 1000)})
    await git(door, "pull", "-q", "origin", "main")
    assert is_there(door, "new.bin", b"new" * 1000)

    mine = os.urandom(300_000)
    await commit(door, "mine.bin", mine)
    printed = await git(door, "push", "-q", "origin", "agentsite/x")
    assert "failed" not in printed, printed
    assert shop.read("mine.bin", branch="agentsite/x").startswith("version https://git-lfs")
    assert mine in shop.lfs.objects.values()
    assert shop.lfs.batches[-1]["ref"] == {"name": "refs/heads/agentsite/x"}
    assert [each for each, _ in site.own_lfs_storage.requests][-2:][0].startswith("PUT")
    held = b"".join(path.read_bytes() for path in door.folder.rglob("*") if path.is_file())
    assert door.side.account.token.encode() not in held
    assert b"lfs_" not in held.replace(b"lfs_storage", b"")
    assert door.meter.received > 200_000
    assert door.meter.sent > 300_000


async def test_what_programs_get_names_neither_the_storage_nor_its_credential(
    door: OpenGitDoor, shop: ForgeRepository
) -> None:
    found = next(iter(shop.lfs.objects))
    asked = {"operation": "download", "transfers": ["tus", "ssh"], "objects": [{"oid": found, "size": 1}], "evil": "x"}
    async with httpx.AsyncClient() as client:
        answer = await client.post(f"{door.origin}/info/lfs/objects/batch", json=asked)
    assert set(shop.lfs.batches[-1]) == {"operation", "transfers", "objects"}
    assert shop.lfs.batches[-1]["transfers"] == ["basic"]
    action = answer.json()["objects"][0]["actions"]["download"]
    assert action == {"href": f"{door.origin}/info/lfs/objects/{found}?size=1"}
    assert "lfs_" not in answer.text


@pytest.mark.parametrize(("action", "said"), [("ask", "needs a person's permission"), ("deny", "is denied by a rule")])
async def test_nothing_is_uploaded_for_a_push_that_the_rules_do_not_allow(
    action: Action, said: str, door: OpenGitDoor, site: Forge, shop: ForgeRepository
) -> None:
    await clone(door)
    await commit(door, "mine.bin", b"mine" * 100)
    allow(door, "agentsite/*", action)
    before = dict(shop.lfs.objects)
    printed = await git(door, "push", "origin", "agentsite/x")
    assert printed.startswith("failed")
    assert said in printed
    assert [(each.action, each.pattern) for each in door.side.reported] == [(action, "agentsite/x")]
    assert shop.lfs.objects == before
    assert list(shop.heads()) == ["main"]

    assert "failed" in await git(door, "push", "origin", "agentsite/x:main")
    assert shop.lfs.objects == before
    head = (await git(door, "rev-parse", "HEAD")).strip()
    door.side.rules = PushRules(door.side.rules.preferences, (), "main", decided=[DecidedPush("agentsite/x", head)])
    pushed = await git(door, "push", "origin", "agentsite/x")
    assert pushed.startswith("failed") == (action == "deny")


async def test_requests_beside_the_protocol_are_refused(door: OpenGitDoor, shop: ForgeRepository) -> None:
    oid = next(iter(shop.lfs.objects))
    lfs = f"{door.origin}/info/lfs"
    upload = {"operation": "upload", "objects": [{"oid": "0" * 64, "size": 3}]}
    async with httpx.AsyncClient() as client:
        nowhere = await client.post(f"{lfs}/objects/batch", json=upload)
        other = await client.post(f"{door.url}/git/secret.git/info/lfs/objects/batch", json=upload)
        lock = await client.post(f"{lfs}/locks", json={"path": "picture.bin"})
        odd = await client.post(f"{lfs}/objects/batch", json={"operation": "download", "objects": [{"oid": "../x"}]})
        many = await client.post(f"{lfs}/objects/batch", content=b"[" * 100)
        sized = await client.put(f"{lfs}/objects/{oid}?size=9&ref=refs/heads/agentsite/x", content=b"x")
        to_main = await client.put(f"{lfs}/objects/{oid}?size=1&ref=refs/heads/main", content=b"x")
        put = await client.delete(f"{lfs}/objects/{oid}?size=1")
        unsized = await client.get(f"{lfs}/objects/{oid}")
    answers = (nowhere, other, lock, odd, many, sized, to_main, put, unsized)
    assert [each.status_code for each in answers] == [422, 403, 403, 422, 422, 422, 403, 405, 404]
    assert all(each.json()["message"] for each in answers)
    assert "does not say which branch" in nowhere.text
    assert "neither made nor removed" in lock.text


async def test_a_storage_at_another_host_is_judged_and_gets_only_its_own_credential(
    door: OpenGitDoor, site: Forge, storage: Forge, shop: ForgeRepository
) -> None:
    storage.repositories[shop.full_name.lower()] = shop
    site.lfs_storage = storage.own_lfs_storage
    storage.own_lfs_storage.requests.clear()
    printed = await clone(door)
    assert "no rule allows this host" in printed
    assert (door.folder / "shop" / "picture.bin").read_bytes().startswith(b"version https://git-lfs")
    assert storage.own_lfs_storage.requests == []
    assert set(door.side.refused) == {storage.place}

    door.side.allowed.add(storage.place)
    assert "failed" not in await git(door, "lfs", "pull")
    assert is_there(door, "picture.bin", PICTURE)
    await commit(door, "mine.bin", b"mine" * 100)
    assert "failed" not in await git(door, "push", "-q", "origin", "agentsite/x")
    assert b"mine" * 100 in shop.lfs.objects.values()
    for _, headers in storage.own_lfs_storage.requests:
        assert headers["authorization"].startswith("Bearer lfs_")
        assert door.side.account.token not in str(headers)


async def test_redirects_of_downloads_are_judged_and_lose_their_credential(
    door: OpenGitDoor, site: Forge, storage: Forge, shop: ForgeRepository
) -> None:
    storage.repositories[shop.full_name.lower()] = shop
    site.own_lfs_storage.redirects_to = storage.own_lfs_storage
    storage.own_lfs_storage.requests.clear()
    await clone(door)
    assert not is_there(door, "picture.bin", PICTURE)
    door.side.allowed.add(storage.place)
    assert "failed" not in await git(door, "lfs", "pull")
    assert is_there(door, "picture.bin", PICTURE)
    assert all("authorization" not in headers for _, headers in storage.own_lfs_storage.requests)


async def test_a_size_is_refused_before_anything_is_transferred(
    door: OpenGitDoor, site: Forge, shop: ForgeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "MAX_OBJECT", 100_000)
    site.own_lfs_storage.requests.clear()
    printed = await clone(door)
    assert "The door passes on files in LFS of at most 2 GiB" in printed
    assert not is_there(door, "picture.bin", PICTURE)
    assert is_there(door, "other.bin", OTHER)
    assert len(site.own_lfs_storage.requests) == 1


async def test_a_restarted_door_asks_again_and_expired_addresses_are_renewed(
    door: OpenGitDoor, site: Forge, shop: ForgeRepository
) -> None:
    oid = next(iter(shop.lfs.objects))
    place = f"{door.origin}/info/lfs/objects/{oid}?size={len(PICTURE)}"
    async with httpx.AsyncClient() as client:
        first = await client.get(place)  # of a door that has never seen a batch
        assert first.content == PICTURE
        site.own_lfs_storage.tickets.clear()
        again = await client.get(place)
        part = await client.get(place, headers={"Range": "bytes=100-"})
    assert again.content == PICTURE
    assert (part.status_code, part.content) == (206, PICTURE[100:])


async def test_why_files_are_not_there_is_said(door: OpenGitDoor, shop: ForgeRepository) -> None:
    await clone(door)
    shop.lfs.enabled = False
    await commit(door, "mine.bin", b"mine")
    assert "has no Git LFS for this repository" in await git(door, "push", "origin", "agentsite/x")
    shop.lfs.enabled = True
    shop.lfs.locks["mine.bin"] = "sam"
    assert "mine.bin" in await git(door, "push", "origin", "agentsite/x")
    assert list(shop.heads()) == ["main"]
    door.side.account.revoke()
    assert "does not accept the credential" in await git(door, "lfs", "push", "origin", "agentsite/x")
    door.side.refusal = "The connection forge was revoked."
    assert "was revoked" in await git(door, "lfs", "push", "origin", "agentsite/x")


async def test_submodules_are_read_only_and_connections_by_ssh_have_no_lfs(
    door: OpenGitDoor, shop: ForgeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, oid, before = await door.side.destination("shop"), next(iter(shop.lfs.objects)), dict(shop.lfs.objects)
    found = replace(own, read_only=True)

    async def destination(_name: str) -> Destination:
        return found

    monkeypatch.setattr(door.side, "destination", destination)
    upload = {
        "operation": "upload",
        "ref": {"name": "refs/heads/agentsite/x"},
        "objects": [{"oid": "0" * 64, "size": 1}],
    }
    async with httpx.AsyncClient() as client:
        read = await client.get(f"{door.origin}/info/lfs/objects/{oid}?size=1")
        pushed = await client.post(f"{door.origin}/info/lfs/objects/batch", json=upload)
        found = replace(own, ssh=SshLogin(""))
        by_ssh = await client.get(f"{door.origin}/info/lfs/objects/{oid}?size=1")
    assert read.content == PICTURE
    assert (pushed.status_code, by_ssh.status_code) == (403, 403)
    assert "do not push to it" in pushed.text
    assert "is reached by SSH" in by_ssh.text
    assert shop.lfs.objects == before


async def test_a_credential_that_expired_is_renewed(door: OpenGitDoor, shop: ForgeRepository) -> None:
    door.side.account.revoke()
    door.side.renews = True
    oid = next(iter(shop.lfs.objects))
    async with httpx.AsyncClient() as client:
        assert (await client.get(f"{door.origin}/info/lfs/objects/{oid}?size=1")).content == PICTURE
    assert door.side.statuses == []
