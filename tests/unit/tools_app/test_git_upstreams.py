"""The upstream that git stores in a repository's settings for a new branch that starts at a remote branch. Compared
with git 2.39."""

import pytest

from tests.support.command_bench import Bench, bench, shared_bench
from tests.unit.tools_app.permission.shell.support import analyzed

__all__ = ["bench", "shared_bench"]
pytestmark = pytest.mark.asyncio(loop_scope="module")

ID = "0" * 40
PACKED = f"# pack-refs with: peeled fully-peeled sorted\n{ID} refs/heads/main\n{ID} refs/remotes/origin/dev\n"
SETTINGS = '[remote "origin"]\n\turl = https://a.example/b.git\n[branch "old"]\n\tremote = origin\n'


def repository(bench: Bench) -> None:
    bench.write(".git/config", SETTINGS)
    bench.write(".git/packed-refs", PACKED)
    bench.write(".git/refs/remotes/origin/main", ID)
    bench.write(".git/refs/remotes/origin/HEAD", "ref: refs/remotes/origin/main")
    bench.write(".git/refs/heads/own", ID)


async def writes_settings(bench: Bench, command: str) -> bool:
    return await bench.action(command, preset="contained") == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "git checkout -b x origin/main", "git checkout -qb x origin/dev", "git checkout -B x origin",
        "git switch -c x refs/remotes/origin/dev", "git branch x remotes/origin/main", "git branch -f x origin/dev",
        "git worktree add -b x wt origin/dev", "git checkout -b x 'main@{u}'", "git switch dev", "git checkout dev",
        "git worktree add wt dev", "git worktree add --guess-remote a/dev", "x=$(cat f); git checkout -b y $x",
        "git fetch && git switch new", "git fetch; git checkout -b x origin/new", "git branch -m old new",
        "git branch -M x",
        "cd src && git checkout -b x origin/main", "git -C src switch dev", "x=$(echo switch); git $x -c y origin/main",
        "git fetch --filter=blob:none",
    ],
)  # fmt: skip
async def test_a_branch_that_gets_an_upstream_changes_the_settings(bench: Bench, command: str) -> None:
    repository(bench)
    assert await writes_settings(bench, command)


@pytest.mark.parametrize(
    "command",
    [
        "git checkout -b x", "git checkout -b x main", "git checkout -b x origin/dev~0",
        "git checkout --no-track -b x origin/dev",
        "git switch own", "git checkout main", "git switch -d origin/dev", "git checkout -- dev", "git branch x own",
        "git branch --list origin/dev", "git branch -m x y", "git worktree add wt origin/dev", "git checkout dev -- a",
        "git fetch && git checkout own", f"git fetch && git checkout -b x {ID}", "git checkout -b x nowhere/dev",
        "git switch --orphan dev", "git branch",
    ],
)  # fmt: skip
async def test_any_other_branch_does_not(bench: Bench, command: str) -> None:
    repository(bench)
    assert not await writes_settings(bench, command)


async def test_without_branches_of_remotes_nothing_gets_an_upstream(bench: Bench) -> None:
    bench.write(".git/config", "")
    bench.write(".git/packed-refs", f"{ID} refs/heads/main\n")
    assert not await writes_settings(bench, "x=$(cat f); git checkout -b y $x")
    assert not await writes_settings(bench, "git fetch && git switch dev")


async def test_the_branches_of_a_second_working_tree_are_not_known(bench: Bench) -> None:
    bench.write("copy/.git", "gitdir: ../.git/worktrees/copy")
    assert await writes_settings(bench, "git -C copy switch own")


async def test_each_branch_is_found_once() -> None:
    found = analyzed("git switch a; git switch a").branches
    assert [(each.folder, each.revision, each.decided_by) for each in found] == [("/workspace", "a", "name")]
