"""Git (the real program) clones from the forge of the tests and pushes to it."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.demo_forge import Account, Forge, forge


@pytest.fixture(scope="module")
def site() -> Iterator[Forge]:
    with forge() as running:
        yield running


def git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "GIT_TERMINAL_PROMPT": "0",
        "GIT_AUTHOR_NAME": "Kim", "GIT_AUTHOR_EMAIL": "kim@example.org",
        "GIT_COMMITTER_NAME": "Kim", "GIT_COMMITTER_EMAIL": "kim@example.org",
    }  # fmt: skip
    return subprocess.run(
        ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False, env=environment, timeout=30
    )


def address(site: Forge, account: Account, name: str) -> str:
    return f"http://{account.login}:{account.token}@{site.place}/{name}.git"


def test_a_private_repository_is_cloned_and_pushed_to_with_a_token_only(site: Forge, tmp_path: Path) -> None:
    writer, stranger = site.account("kim"), site.account("sam")
    shop = site.repository("tea/shop", {"README.md": "# Tea\n"}, writers=[writer])

    assert git(tmp_path, "clone", "-q", shop.clone_url, "none").returncode != 0
    assert git(tmp_path, "clone", "-q", address(site, stranger, "tea/shop"), "none").returncode != 0
    assert git(tmp_path, "clone", "-q", address(site, writer, "tea/shop"), "shop").returncode == 0
    checkout = tmp_path / "shop"
    assert (checkout / "README.md").read_text() == "# Tea\n"

    (checkout / "README.md").write_text("# Green tea\n")
    git(checkout, "commit", "-qam", "Name the tea")
    assert git(checkout, "push", "-q", "origin", "HEAD:refs/heads/green").returncode == 0
    assert shop.read("README.md", branch="green") == "# Green tea\n"
    assert [(push.login, list(push.moved)) for push in shop.pushes] == [("kim", ["green"])]

    writer.revoke()
    assert git(checkout, "fetch").returncode != 0


def test_who_may_only_read_cannot_push(site: Forge, tmp_path: Path) -> None:
    reader = site.account("lee")
    docs = site.repository("tea/docs", {"a.md": "a\n"}, readers=[reader], default_branch="trunk")
    assert git(tmp_path, "clone", "-q", address(site, reader, "tea/docs"), "docs").returncode == 0
    assert git(tmp_path / "docs", "rev-parse", "--abbrev-ref", "HEAD").stdout.strip() == "trunk"
    refused = git(tmp_path / "docs", "push", "origin", "HEAD:refs/heads/mine")
    assert refused.returncode != 0
    assert "Write access to repository not granted" in refused.stderr
    assert (list(docs.heads()), docs.pushes) == (["trunk"], [])


def test_a_public_repository_is_cloned_by_anybody_in_part_too(site: Forge, tmp_path: Path) -> None:
    big = site.repository("tea/public", {"a.bin": os.urandom(3 << 20)}, private=False)
    big.commit({"b.txt": "b\n"}, "More")
    git(tmp_path, "clone", "-q", "--depth=1", "--filter=blob:none", "--no-checkout", big.clone_url, "part")
    objects = tmp_path / "part" / ".git" / "objects"
    assert 0 < sum(path.stat().st_size for path in objects.rglob("*") if path.is_file()) < 1 << 20
