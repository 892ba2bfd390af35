"""Snapshots and their differences, on every runtime."""

import asyncio

import pytest

from sandbox.errors import NotFound
from tests.contract.sandbox.conftest import Sandbox


@pytest.fixture(params=["repository", "plain"])
async def project(sandbox: Sandbox, request: pytest.FixtureRequest) -> Sandbox:
    start = "git init -q .; printf '*.log\\nignored/\\n' > .gitignore;" if request.param == "repository" else ""
    await sandbox.shell(f"{start} mkdir src; seq 1 30 > src/a.txt; echo gone > b.txt; ln -s src/a.txt link")
    return sandbox


async def test_equal_states_have_equal_ids(project: Sandbox) -> None:
    first = await project.runtime.snapshot()
    await project.shell("touch src/a.txt")

    assert await project.runtime.snapshot() == first
    assert list(await project.runtime.diff(first)) == []


async def test_changes_are_unified_diffs_with_counts(project: Sandbox) -> None:
    before = await project.runtime.snapshot()
    await project.shell("sed -i s/^15$/fifteen/ src/a.txt; rm b.txt; printf 'new\\n' > c.txt")

    added, deleted, modified = sorted(await project.runtime.diff(before), key=lambda change: change.status)

    assert (added.path, added.additions, added.deletions) == ("c.txt", 1, 0)
    assert added.patch == "--- /dev/null\n+++ b/c.txt\n@@ -0,0 +1 @@\n+new\n"
    assert (deleted.path, deleted.patch) == ("b.txt", "--- a/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n")
    assert (modified.path, modified.additions, modified.deletions) == ("src/a.txt", 1, 1)
    assert modified.patch.startswith("--- a/src/a.txt\n+++ b/src/a.txt\n@@ -12,7 +12,7 @@\n")


async def test_two_snapshots_are_compared_without_the_files(project: Sandbox) -> None:
    before = await project.runtime.snapshot()
    await project.runtime.write("c.txt", b"new\n")
    after = await project.runtime.snapshot()
    await project.shell("rm -rf src b.txt c.txt link")

    assert [change.path for change in await project.runtime.diff(before, after)] == ["c.txt"]


async def test_binary_and_large_files_have_no_patch(project: Sandbox) -> None:
    before = await project.runtime.snapshot()
    await project.runtime.write("image", b"\0\1\2")
    await project.runtime.write("large", b"x" * (3 << 20))

    changes = await project.runtime.diff(before)

    assert [(change.path, change.binary, change.patch) for change in changes] == [
        ("image", True, ""),
        ("large", True, ""),
    ]


async def test_a_link_is_recorded_as_where_it_points_and_never_followed(project: Sandbox) -> None:
    await project.shell("ln -s /etc/passwd secret")
    before = await project.runtime.snapshot()
    await project.shell("ln -sfT b.txt link")

    (change,) = await project.runtime.diff(before)

    assert change.path == "link"
    assert "-src/a.txt" in change.patch
    assert "root:" not in change.patch


async def test_a_change_of_the_same_size_at_once_is_seen(project: Sandbox) -> None:
    for number in range(10):
        await project.runtime.write("n", str(number).encode())
        before = await project.runtime.snapshot()
        await project.runtime.write("n", str((number + 1) % 10).encode())

        assert [change.path for change in await project.runtime.diff(before)] == ["n"]


async def test_ignored_files_are_left_out(sandbox: Sandbox) -> None:
    await sandbox.shell("git init -q .; echo '*.log' > .gitignore")
    before = await sandbox.runtime.snapshot()
    await sandbox.shell("echo x > a.log; echo y > a.txt")

    assert [change.path for change in await sandbox.runtime.diff(before)] == ["a.txt"]


async def test_a_hostile_repository_cannot_stop_a_snapshot(sandbox: Sandbox) -> None:
    await sandbox.shell("git init -q .; git config core.fsmonitor 'touch ran; false'; echo broken >> .git/index")
    await sandbox.runtime.write("a", b"1")

    before = await sandbox.runtime.snapshot()
    await sandbox.runtime.write("a", b"2")

    assert "a" in [change.path for change in await sandbox.runtime.diff(before)]


async def test_no_depth_of_folders_stops_a_snapshot(sandbox: Sandbox) -> None:
    nest = "import os\nfor i in range(2500):\n  os.mkdir('d')\n  os.chdir('d')\nopen('f', 'w').close()"
    await sandbox.shell(f'python3 -c "{nest}"; echo 1 > top.txt')

    before = await sandbox.runtime.snapshot()
    await sandbox.shell("echo 2 > top.txt")

    assert [change.path for change in await sandbox.runtime.diff(before)] == ["top.txt"]
    await sandbox.shell("rm -rf d")


async def test_a_huge_sparse_file_is_recorded_by_size_and_time(project: Sandbox) -> None:
    await project.shell("truncate -s 4T huge")

    before = await asyncio.wait_for(project.runtime.snapshot(), timeout=20)
    await project.shell("truncate -s 3T huge")

    assert [change.path for change in await project.runtime.diff(before)] == ["huge"]


@pytest.mark.parametrize("snapshot_id", ["0" * 64, "../../etc/passwd", ""])
async def test_an_unknown_snapshot_is_not_found(sandbox: Sandbox, snapshot_id: str) -> None:
    with pytest.raises(NotFound):
        await sandbox.runtime.diff(snapshot_id)
