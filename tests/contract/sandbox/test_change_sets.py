"""Several files are changed in one atomic change set, on every runtime."""

import asyncio
import hashlib

import pytest

from sandbox.errors import Conflict, LimitReached, NotFound, PathOutside, SandboxError, SandboxRefused, WrongKind
from sandbox.ports import Expect, FileChange, RealPath
from tests.contract.sandbox.conftest import Sandbox


def version(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


async def listing(sandbox: Sandbox) -> list[str]:
    return (await sandbox.shell("find . -mindepth 1 | sort")).split()


async def test_files_are_added_changed_and_removed_together(sandbox: Sandbox) -> None:
    await sandbox.runtime.write("old", b"1", mode=0o755)
    await sandbox.runtime.write("gone", b"2")

    stats = await sandbox.runtime.change(
        [
            FileChange("new/deep/a", b"first", Expect.ABSENT),
            FileChange("old", b"changed", version(b"1")),
            FileChange("gone", None, version(b"2")),
            FileChange("run", b"#!", Expect.ABSENT, mode=0o755),
        ]
    )

    assert [(stat.exists, stat.size, stat.mode) for stat in stats[:2]] == [(True, 5, 0o644), (True, 7, 0o755)]
    assert (stats[2].exists, stats[3].mode) == (False, 0o755)
    assert (await sandbox.runtime.read("old")).content == b"changed"
    assert await listing(sandbox) == ["./new", "./new/deep", "./new/deep/a", "./old", "./run"]


@pytest.mark.parametrize(
    ("last", "error"),
    [
        (FileChange("b", b"x", version(b"other")), Conflict),
        (FileChange("b", b"x", Expect.ABSENT), Conflict),
        (FileChange("b", None, version(b"other")), Conflict),
        (FileChange("none", None, version(b"x")), Conflict),
        (FileChange("none", None), NotFound),
        (FileChange("none/deep", None), NotFound),
        (FileChange("folder", b"x"), WrongKind),
        (FileChange("b/c", b"x", Expect.ABSENT), WrongKind),
        (FileChange("new", b"x", Expect.ABSENT), SandboxRefused),
        (FileChange("/proc/1/comm", b"x"), PathOutside),
    ],
)
async def test_one_that_cannot_be_done_keeps_all_from_being_done(
    sandbox: Sandbox, last: FileChange, error: type[SandboxError]
) -> None:
    await sandbox.shell("mkdir folder; printf a > a; printf b > b; printf c > c")
    before = await listing(sandbox)

    with pytest.raises(error):
        await sandbox.runtime.change(
            [
                FileChange("a", b"changed", version(b"a")),
                FileChange("new", b"new", Expect.ABSENT),
                FileChange("made/on/the/way", b"new", Expect.ABSENT),
                FileChange("c", None, version(b"c")),
                last,
            ]
        )

    assert await listing(sandbox) == before
    assert await sandbox.shell("cat a b c") == "abc"


async def test_what_the_first_makes_impossible_for_the_last_is_undone(sandbox: Sandbox) -> None:
    with pytest.raises(SandboxError):
        await sandbox.runtime.change([FileChange("a", b"1", Expect.ABSENT), FileChange("a/b", b"2", Expect.ABSENT)])

    assert await listing(sandbox) == []


async def test_a_resolved_path_into_which_a_link_got_changes_nothing(sandbox: Sandbox) -> None:
    await sandbox.shell("mkdir real; ln -s real link; printf a > a")

    with pytest.raises(PathOutside):
        await sandbox.runtime.change([FileChange("a", b"x"), FileChange(RealPath("/workspace/link/b"), b"x")])

    assert await sandbox.shell("cat a; ls real") == "a"


async def test_two_names_of_one_file_are_refused(sandbox: Sandbox) -> None:
    await sandbox.shell("ln -s a b")

    with pytest.raises(SandboxRefused, match="listed twice"):
        await sandbox.runtime.change([FileChange("a", b"1"), FileChange("b", b"2")])

    assert await listing(sandbox) == ["./b"]


async def test_empty_files_and_large_ones_arrive_whole(sandbox: Sandbox) -> None:
    await sandbox.runtime.change(
        [FileChange("empty", b""), FileChange("large", b"x" * 5_000_000), FileChange("z", b"z")]
    )

    assert [(await sandbox.runtime.stat(name)).size for name in ("empty", "large", "z")] == [0, 5_000_000, 1]


async def test_nothing_and_too_much_are_refused(sandbox: Sandbox) -> None:
    with pytest.raises(SandboxRefused, match="between 1 and 500"):
        await sandbox.runtime.change([])
    with pytest.raises(SandboxRefused, match="between 1 and 500"):
        await sandbox.runtime.change([FileChange(str(number), b"") for number in range(501)])
    with pytest.raises(LimitReached):
        await sandbox.runtime.change([FileChange("a", b"x" * (34 << 20))])

    assert await listing(sandbox) == []


async def test_of_many_change_sets_for_the_same_files_one_is_made_whole(sandbox: Sandbox) -> None:
    await sandbox.runtime.change([FileChange("a", b"0"), FileChange("b", b"0")])
    seen = version(b"0")
    attempts = [
        sandbox.runtime.change([FileChange("a", text, seen), FileChange("b", text, seen)])
        for text in (str(number).encode() for number in range(1, 7))
    ]

    outcomes = await asyncio.gather(*attempts, return_exceptions=True)

    assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 5
    assert await sandbox.shell("cmp a b && ls -A") == "a\nb\n"
