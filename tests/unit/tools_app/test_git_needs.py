"""Git commands are judged by the tracked files that they show and change, in a real repository."""

import subprocess

import pytest

from tests.support.command_bench import NO_INTERNAL, NO_LOCKS, Bench, bench, shared_bench
from tools_app.permission.model import Rule

__all__ = ["bench", "shared_bench"]
pytestmark = pytest.mark.asyncio(loop_scope="module")


def commit(bench: Bench, *names: str) -> None:
    for name in names:
        bench.write(name, "x\n")
    for command in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"],
    ):
        subprocess.run(["git", *command], cwd=bench.files, check=True, capture_output=True)


SHOWING_BY_GIT = (
    "git diff",
    "git diff HEAD~1",
    "git show",
    "git grep x",
    "git log -p -3",
    "git add -A",
    "git add .",
    "git stash show -p",
)
CHANGING_BY_GIT = (
    "git checkout .",
    "git checkout -- .",
    "git checkout main",
    "git switch main",
    "git restore .",
    "git reset --hard",
    "git stash",
    "git stash pop",
    "git pull",
    "git merge main",
    "git apply fix.patch",
    "git rm -r .",
    "git clean -fd",
)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    ("command", "limit"),
    [*((each, NO_INTERNAL) for each in SHOWING_BY_GIT), *((each, NO_LOCKS) for each in CHANGING_BY_GIT)],
)
async def test_a_limit_holds_for_what_git_shows_and_changes(
    bench: Bench, command: str, limit: Rule, *, known: bool
) -> None:
    commit(bench, "internal/plan.txt", "locked/uv.lock")
    assert await bench.action(command, limit, preset="autonomous", known=known) == "deny"


@pytest.mark.parametrize("command", ["git diff", "git add -A", "git checkout .", "git checkout -b new", "git status"])
async def test_git_is_not_limited_where_it_tracks_nothing_that_a_rule_matches(bench: Bench, command: str) -> None:
    commit(bench, ".gitignore", "src/b.py")
    bench.write(".gitignore", "internal\nlocked\n")
    for name in ("internal/plan.txt", "locked/uv.lock"):
        bench.write(name, "x\n")
    assert await bench.action(command, NO_INTERNAL, NO_LOCKS, preset="autonomous") == "allow"


@pytest.mark.parametrize("options", ["-u", "--include-untracked", "--inc", "push -qu", "save -ku", "-a", "push --all"])
async def test_files_that_git_does_not_track_are_judged_before_it_stashes_them(bench: Bench, options: str) -> None:
    commit(bench, "src/b.py")
    bench.write("internal/plan.txt", "x\n")
    assert await bench.action(f"git stash {options}", NO_INTERNAL, preset="autonomous") == "deny"
    assert await bench.action(f"git stash {options}", NO_INTERNAL, preset="autonomous", known=False) == "deny"
    assert await bench.action("git stash push -q", NO_INTERNAL, preset="autonomous") == "allow"


async def test_files_that_git_ignores_are_stashed_with_all_only(bench: Bench) -> None:
    commit(bench, "src/b.py", ".gitignore")
    bench.write(".gitignore", "internal\n")
    bench.write("internal/plan.txt", "x\n")
    assert await bench.action("git stash -u", NO_INTERNAL, preset="autonomous") == "allow"
    assert await bench.action("git stash -a", NO_INTERNAL, preset="autonomous") == "deny"


async def test_what_git_would_add_is_judged_before_it_tracks_it(bench: Bench) -> None:
    commit(bench, "src/b.py")
    bench.write("internal/plan.txt", "x\n")
    assert await bench.action("git diff", NO_INTERNAL, preset="autonomous") == "allow"
    assert await bench.action("git add -A", NO_INTERNAL, preset="autonomous") == "deny"
    assert await bench.action("git add src", NO_INTERNAL, preset="autonomous") == "allow"


async def test_an_index_of_an_unknown_format_lifts_nothing(bench: Bench) -> None:
    commit(bench, "src/b.py")
    bench.write(".git/index", "DIRC of tomorrow")
    assert await bench.action("git diff", NO_INTERNAL, preset="autonomous") == "deny"
