"""The commits of a workspace's repository, the changes of each commit, and patches of single changes."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from sandbox.errors import NotFound
from sandbox.ports import RunRequest
from tests.contract.sandbox.conftest import Sandbox, new_id

ROOM = 1 << 30
GIT = "git -c user.name=Ada -c user.email=ada@example.org"


@pytest.fixture
async def repository(sandbox: Sandbox) -> Sandbox:
    await sandbox.shell(
        f"git init -q .; seq 1 30 > text; printf 'a\\0b' > binary; {GIT} add -A; {GIT} commit -qm Begin"
    )
    return sandbox


async def commit(sandbox: Sandbox, command: str, message: str) -> str:
    found = await sandbox.shell(f"{command}; {GIT} add -A; {GIT} commit -qm '{message}'; git rev-parse HEAD")
    return found.split()[-1]


async def test_commits_are_listed_newest_first_and_each_has_its_changes(repository: Sandbox) -> None:
    first = await commit(repository, "sed -i s/^3$/three/ text; git mv binary moved", "Rename")
    second = await commit(repository, "sed -i s/^20$/twenty/ text; echo new > added; chmod +x text", "Add")
    await repository.shell("echo later >> text")

    commits = await repository.runtime.commits(0)

    assert [(each.commit, each.subject, each.author) for each in commits][:2] == [
        (second, "Add", "Ada"), (first, "Rename", "Ada"),
    ]  # fmt: skip
    assert [each.subject for each in commits] == ["Add", "Rename", "Begin"]
    assert await repository.runtime.commits(commits[0].at + 1000) == []
    review = await repository.runtime.review("", commit=first)
    assert [(file.path, file.old_path, file.status) for file in review.files] == [
        ("moved", "binary", "renamed"), ("text", "text", "modified"),
    ]  # fmt: skip
    assert "-3\n+three\n" in review.files[1].patch
    assert "twenty" not in review.files[1].patch
    (file,) = (await repository.runtime.review("", commit=second, path="text")).files
    assert (file.old_mode, file.new_mode, file.additions) == ("100644", "100755", 1)
    assert (await repository.runtime.reviewed_content("", commit=second, path="added", old=False)) == b"new\n"


async def test_the_first_commit_and_merges_have_their_changes(repository: Sandbox) -> None:
    begin = (await repository.runtime.commits(0))[-1].commit
    assert {file.status for file in (await repository.runtime.review("", commit=begin)).files} == {"added"}
    await repository.shell(
        f"git checkout -qb side; echo s > side; {GIT} add -A; {GIT} commit -qm Side; git checkout -q -"
    )
    await commit(repository, "echo m > main", "Main")
    merged = await repository.shell(f"{GIT} merge -q --no-ff -m Merge side; git rev-parse HEAD")
    review = await repository.runtime.review("", commit=merged.split()[-1])
    assert [file.path for file in review.files] == ["side"]
    assert [each.subject for each in await repository.runtime.commits(0)] == ["Merge", "Main", "Begin"]


@pytest.mark.parametrize("name", ["0" * 40, "HEAD", "--output=x", "", "-1"])
async def test_what_is_no_commit_is_refused(repository: Sandbox, name: str) -> None:
    if name:
        with pytest.raises(NotFound):
            await repository.runtime.review("", commit=name)
    else:
        tree = (await repository.shell("git rev-parse HEAD^{tree}")).strip()
        with pytest.raises(NotFound):
            await repository.runtime.review("", commit=tree)


async def test_a_workspace_without_a_repository_has_no_commits(sandbox: Sandbox) -> None:
    assert await sandbox.runtime.commits(0) == []


async def test_large_contents_of_a_commit_are_only_named(repository: Sandbox) -> None:
    large = await commit(repository, "head -c 3000000 /dev/zero > large; echo x > small", "Large")
    files = {file.path: file for file in (await repository.runtime.review("", commit=large)).files}
    assert (files["large"].cut, files["large"].new_size, files["small"].cut) == ("not_recorded", 3_000_000, "")


async def test_patches_of_one_commit_and_of_one_call_can_be_applied(repository: Sandbox) -> None:
    first = await commit(repository, "sed -i s/^3$/three/ text; git mv binary moved; printf 'a\\0c' > other", "Rename")
    call = new_id()
    command = "chmod +x text; rm moved; ln -s text link; sed -i s/^20$/twenty/ text; printf 'b\\0c' > other"
    await repository.runtime.recording(call, "ses_mine").run(RunRequest(call, command))
    wanted = await tree_of(repository)
    await repository.shell("echo later >> text; rm link")
    changes = (await repository.runtime.changes_of(call)).files
    patches = [await patch_of(repository, commit=first), await patch_of(repository, changes=changes)]
    assert b"rename from binary\nrename to moved\n" in patches[0]
    assert b"later" not in patches[1]

    await repository.shell("find . -mindepth 1 ! -path './.git*' -delete; git checkout -q HEAD~1 -- .; git reset -q")
    apply(repository.files, patches[0])
    apply(repository.files, patches[1])

    assert await tree_of(repository) == wanted


async def patch_of(sandbox: Sandbox, **which: Any) -> bytes:
    pieces: list[bytes] = []

    async def keep(piece: bytes) -> None:
        pieces.append(piece)

    summary = await sandbox.runtime.patch("", keep, limit=ROOM, **which)
    assert summary.left_out == 0
    return b"".join(pieces)


def apply(folder: Path, patch: bytes) -> None:
    subprocess.run(["git", "apply", "-"], cwd=folder, input=patch, check=True)


async def tree_of(sandbox: Sandbox) -> str:
    """Return the names, kinds, executable bits and contents of all files in the workspace."""
    shown = "-printf '%y %l ' -a \\( -perm -100 -printf x -o -true \\) -printf ' %P\\0'"
    listed = f"find . -name .git -prune -o ! -type d {shown}"
    files = "find . -name .git -prune -o -type f -print0 | sort -z | xargs -0 sha256sum"
    return await sandbox.shell(f"{listed} | sort -z | sha256sum; {files}")
