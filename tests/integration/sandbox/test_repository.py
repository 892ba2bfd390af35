"""A real container clones and pushes through the door (the network proxy), and can get neither the credential nor
another repository."""

import gzip
import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Final

import pytest

from deploy.demo_forge import Account, Forge, ForgeRepository, forge
from deploy.demo_forge.lfs import pointer
from sandbox.errors import PathOutside
from sessions_app.workers.door import links, rules
from sessions_app.workers.door.links import WorkspaceLink
from sessions_app.workers.sandbox.clone import Clone, run_clone
from tests.contract.sandbox.conftest import Sandbox
from tests.support.git_door import GivenSide
from tests.support.lanes import EVERYTHING
from tests.support.repository_jobs import ALLOWED
from tools_app.network.git.signing import Signer
from tools_app.network.git.ssh_keys import load_key, new_key
from tools_app.network.upstream import Upstream
from tools_app.web.rules import WebRules

pytestmark = pytest.mark.docker

LONGEST: Final = 10.0  # seconds until 50 MB are in place, on a quiet machine
HOSTILE: Final = {
    "README.md": "# Tea\n",
    ".gitattributes": "*.txt filter=evil diff=evil merge=evil\n",
    "a.txt": "a\n",
    ".gitmodules": '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch /tmp/ran-%%S"\n',
    ".githooks/post-checkout": "#!/bin/sh\ntouch /tmp/ran-hook\n",
    'name with\ttab and "quotes".md': "odd\n",
}
CONFIGURE: Final = (
    "git config core.fsmonitor 'touch /tmp/ran-fsmonitor; :'; git config filter.evil.smudge 'touch /tmp/ran; cat';"
    " ln -s /etc/passwd passwd; git config core.hooksPath .githooks; git config credential.helper '!cat > /tmp/asked';"
    " git config url.http://127.0.0.1:3128/git/secret.git.insteadOf https://forge.example/"
)

EVERYWHERE: Final = (
    "env; cat /proc/*/environ /proc/*/cmdline 2> /dev/null | tr '\\0' '\\n'; cat .git/config;"
    " grep -rhaosE 'forge_[0-9a-f]{40}' / --exclude-dir=sys --exclude-dir=proc"
)


@pytest.fixture(scope="module")
def forge_site() -> Iterator[Forge]:
    with forge() as running:
        yield running


@asynccontextmanager
async def linked(
    sandbox: Sandbox, forge_site: Forge, shop: ForgeRepository, account: Account, patch: pytest.MonkeyPatch
) -> AsyncIterator[GivenSide]:
    side = GivenSide(shop, account, ALLOWED)
    patch.setattr(links, "WorkspaceRepository", lambda *_: side)
    patch.setattr(rules, "load_rules", lambda _: rules.CLOSED)
    host, _, port = forge_site.place.partition(":")
    link = WorkspaceLink(sandbox.files.parent.parent, Upstream(WebRules(frozenset({(host, int(port))}))))
    try:
        yield side
    finally:
        link.close()


async def cloned(sandbox: Sandbox) -> str:
    result = await run_clone(sandbox.runtime, sandbox.spec.workspace_id, Clone("shop", "agentsite/x"))
    return result.output.decode()


@pytest.mark.full
async def test_fifty_megabytes_are_there_in_time(
    fresh_sandbox: Sandbox, forge_site: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = forge_site.account("kim")
    files = {f"data/{number}.bin": os.urandom(1 << 20) for number in range(50)}
    shop = forge_site.repository("large/shop", files, writers=[account])
    shop.git("config", "pack.window", "0")  # forges have their packs ready
    async with linked(fresh_sandbox, forge_site, shop, account, monkeypatch):
        began = time.monotonic()
        output = await cloned(fresh_sandbox)
        took = time.monotonic() - began
        print(f"50 MB cloned in {took:.2f} s")
        assert "clone: files=50" in output
        assert took < LONGEST * (1 if EVERYTHING else 3)


async def test_a_program_gets_neither_the_credential_nor_another_repository(
    fresh_sandbox: Sandbox, forge_site: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    account, shell = forge_site.account("sam"), fresh_sandbox.shell
    shop = forge_site.repository("hostile/shop", HOSTILE, writers=[account])
    secret = forge_site.repository("hostile/secret", {"secret.txt": "secret\n"}, writers=[account])
    async with linked(fresh_sandbox, forge_site, shop, account, monkeypatch) as side:
        assert "clone: files=6" in await cloned(fresh_sandbox)
        assert await shell("git status --porcelain; ls /tmp/ran* /tmp/clone* 2> /dev/null") == ""
        await shell(CONFIGURE)
        await shell("git add passwd; git -c core.hooksPath=/dev/null commit -qm Link; rm passwd; git checkout passwd")
        with pytest.raises(PathOutside):  # the repository's own link
            await fresh_sandbox.runtime.read("passwd")
        snapshot = await fresh_sandbox.runtime.snapshot()
        await shell("echo b >> a.txt; git -c core.hooksPath=/dev/null commit -qam More")
        assert [each.path for each in await fresh_sandbox.runtime.diff(snapshot)]
        traced = "GIT_TRACE_CURL=1 GIT_TRACE_PACKET=1 GIT_TRACE_REDACT=0 GIT_CURL_VERBOSE=1"
        printed = await shell(f"{traced} git push origin HEAD:agentsite/x 2>&1; {traced} git fetch 2>&1")
        assert "[new branch]" in printed
        side.signs = Signer("agent", "agent@localhost", load_key(new_key("x").private))
        signing = "git -c gpg.format=ssh -c gpg.ssh.program=/opt/agentsite/sign-commit -c user.signingKey=key::ssh-x"
        signed = await shell(f"{signing} commit -S -q --allow-empty -m Signed 2>&1; git cat-file commit HEAD")
        assert "\ngpgsig -----BEGIN SSH SIGNATURE-----" in signed
        for change in (
            "git remote set-url origin http://127.0.0.1:3128/git/secret.git",
            f"git remote set-url origin {secret.clone_url}",
            "git remote set-url origin https://forge.example/",
        ):
            assert "secret.txt" not in await shell(
                f"{change}; git fetch 2>&1; git ls-tree -r --name-only FETCH_HEAD 2>&1"
            )
        everywhere = await shell(EVERYWHERE, timeout=120)
        archive = bytearray()

        async def keep(piece: bytes) -> None:
            archive.extend(piece)

        await fresh_sandbox.runtime.archive(keep, limit=1 << 26)
        for text in (printed, everywhere, gzip.decompress(bytes(archive)).decode("latin-1")):
            assert account.token not in text
            assert "c2FtOmZvcmdl" not in text  # of "sam:forge" and "git:forge" in base64
            assert "Z2l0OmZvcmdl" not in text
        assert "root:x:0" not in gzip.decompress(bytes(archive)).decode("latin-1")
        assert side.reported == []
    assert list(secret.heads()) == ["main"]


async def test_files_in_lfs_are_cloned_and_pushed_and_nothing_of_their_storage_is_inside(
    fresh_sandbox: Sandbox, forge_site: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    account, shell = forge_site.account("lou"), fresh_sandbox.shell
    shop = forge_site.repository("lfs/shop", {".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n"})
    shop.writers.add("lou")
    content = os.urandom(2 << 20)
    shop.commit({"a.bin": pointer(shop.lfs, content)})
    async with linked(fresh_sandbox, forge_site, shop, account, monkeypatch) as side:
        assert "clone: lfs=done" in await cloned(fresh_sandbox)
        assert (await shell("sha256sum < a.bin; git status --porcelain")).split() == [sha256(content).hexdigest(), "-"]
        traced = "GIT_TRACE=1 GIT_TRACE_CURL=1 GIT_CURL_VERBOSE=1 GIT_TRACE_REDACT=0"
        printed = await shell(
            "head -c 500000 /dev/urandom > b.bin; git add -A; git commit -qm More;"
            f" {traced} git push origin HEAD:agentsite/x 2>&1"
        )
        assert "[new branch]" in printed
        assert len(shop.lfs.objects) == 2
        everywhere = await shell(EVERYWHERE.replace("forge_", "(forge|lfs)_"), timeout=120)
        for text in (printed, everywhere):
            assert account.token not in text
            assert not any(ticket in text for ticket in forge_site.own_lfs_storage.tickets)
        assert side.reported == []


async def test_commits_name_the_agent_in_a_repository_with_hooks_of_its_own(sandbox: Sandbox) -> None:
    husky = "git init -q . && git config core.hooksPath .husky && mkdir .husky"
    own = "printf '#!/bin/sh\\necho own >> ran\\n' > .husky/commit-msg && chmod +x .husky/commit-msg"
    commit = "AGENTSITE_TRAILERS='Co-authored-by: agent <a@x>' git commit -q --allow-empty -m One && cat ran"
    printed = await sandbox.shell(
        f"{husky} && {own} && {commit} && git log -1 --format=%B && git config core.hooksPath"
    )
    assert printed.split("\n") == ["own", "One", "", "Co-authored-by: agent <a@x>", "", ".husky", ""]
    assert await sandbox.shell("command -v git; ls -l /opt/agentsite/hooks | grep -vc rwxr-xr-x") == (
        "/opt/agentsite/bin/git\n1\n"
    )


@pytest.mark.full
async def test_a_repository_of_many_files_is_cloned_recorded_compared_and_searched(
    fresh_sandbox: Sandbox, forge_site: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    account, runtime = forge_site.account("kim"), fresh_sandbox.runtime
    files = {f"{number // 1000}/{number}.txt": f"{number}\n" for number in range(120_000)}
    shop = forge_site.repository("many/shop", files, writers=[account])
    async with linked(fresh_sandbox, forge_site, shop, account, monkeypatch):
        began = time.monotonic()
        assert "clone: files=120000" in await cloned(fresh_sandbox)
        print(f"120,000 files cloned in {time.monotonic() - began:.1f} s")
        began = time.monotonic()
        first = await runtime.snapshot()
        print(f"recorded in {time.monotonic() - began:.1f} s")
        await fresh_sandbox.shell("echo more >> 7/7007.txt; touch new")
        began = time.monotonic()
        changes = await runtime.diff(first)
        print(f"compared in {time.monotonic() - began:.1f} s")
        assert [(each.path, each.patch.count("+more")) for each in changes] == [("7/7007.txt", 1), ("new", 0)]
        began = time.monotonic()
        found = await fresh_sandbox.runtime.grep("^119999$")
        print(f"searched in {time.monotonic() - began:.1f} s")
        assert [each.path for each in found.matches]
