"""Files that a command does not name are judged: files whose names the command derives from results of `find`
(`{}/a`, `{}.bak`), files whose names git prints, and files that git changes."""

import subprocess

import pytest

from tests.support.command_bench import NO_INTERNAL, NO_LOCKS, Bench, bench, shared_bench
from tools_app.permission.model import Rule

__all__ = ["bench", "shared_bench"]
pytestmark = pytest.mark.asyncio(loop_scope="module")

NO_LEDGER = Rule("edit", "ledger/*", "deny")


@pytest.mark.parametrize(
    "command",
    ["find . -type d -exec cat {}/plan.md \\;", "find . -name 'inter*' -exec cat {}/plan.md \\;",
     "find . -name plan.m -exec cat {}d \\;", "find . -name 'plan.*' -exec cat ./{} \\;",
     "find src -exec cat {}/../internal/plan.md \\;", "find . -exec frob --file={}/plan.md \\;",
     "find . -exec dd if={}/plan.md of=x \\;", "find . -exec sh -c 'cat {}/plan.md' \\;",
     "find internal/plan -exec cat {}.md \\;", "find . -type d -execdir cat {}/plan.md \\;"],
)  # fmt: skip
async def test_files_around_those_that_find_finds_are_read(bench: Bench, command: str) -> None:
    assert await bench.action(command, preset="contained") == "allow"
    bench.write("internal/plan.md")
    assert await bench.action(command, NO_INTERNAL, preset="contained") == "deny"


@pytest.mark.parametrize("command", ["find . -type d -exec cat {}/.env \\;", "find src -exec cat {}v \\;"])
async def test_a_secret_beside_what_find_finds_is_asked(bench: Bench, command: str) -> None:
    bench.write("src/.env")
    bench.write("src/.en")
    assert await bench.action(command, preset="contained") == "ask"


@pytest.mark.parametrize(
    "command",
    ["find . -type d -exec cp src/app.py {}/new \\;", "find . -name 'led*' -exec touch {}/new \\;",
     "find . -type d -exec dd if=src/app.py of={}/new \\;"],
)  # fmt: skip
async def test_files_that_are_made_around_those_that_find_finds_are_judged(bench: Bench, command: str) -> None:
    bench.write("ledger/tea.csv")
    assert await bench.action(command, NO_LEDGER, preset="contained") == "deny"
    assert await bench.action(command.replace("find .", "find src"), NO_LEDGER, preset="contained") == "allow"


@pytest.mark.parametrize(
    "command", ["find src -name '*.py' -exec cp {} {}.bak \\;", "find src -type d -exec touch {}/__init__.py \\;"]
)
async def test_other_names_around_what_find_finds_are_nothing_to_deny(bench: Bench, command: str) -> None:
    assert await bench.action(command, NO_INTERNAL, NO_LOCKS, NO_LEDGER, preset="contained") == "allow"


def git(bench: Bench, *words: str) -> None:
    subprocess.run(["git", *words], cwd=bench.files, check=True)


@pytest.fixture
def repository(bench: Bench) -> Bench:
    bench.write("config/prod.env")
    bench.write(".env")
    bench.write(".gitignore", ".env\n")
    git(bench, "init", "-q")
    git(bench, "add", ".")
    return bench


@pytest.mark.parametrize(
    "command",
    ["git ls-files config | xargs cat", "cat $(git ls-files)", "git grep -l KEY | xargs cat",
     "for f in $(git ls-files config); do cat $f; done", "git ls-tree -r --name-only HEAD | xargs cat"],
)  # fmt: skip
async def test_secrets_whose_names_git_prints_are_asked(repository: Bench, command: str) -> None:
    assert await repository.action(command, preset="contained") == "ask"
    (repository.files / "config" / "prod.env").unlink()
    git(repository, "rm", "-q", "--cached", "config/prod.env")
    assert await repository.action(command, preset="contained") == "allow"


async def test_names_of_git_alone_show_no_secret(repository: Bench) -> None:
    for command in ("git ls-files | wc -l", "git ls-files config", "git ls-files src | xargs wc"):
        assert await repository.action(command, preset="contained") == "allow"


@pytest.mark.parametrize("command", ["git clean -fdx", "git clean -fX", "git clean -f -x .", "git checkout-index -af"])
async def test_git_changes_or_removes_files_that_presets_protect(repository: Bench, command: str) -> None:
    assert await repository.action(command, preset="autonomous") == "ask"
    assert await repository.action("git clean -fdx src", preset="autonomous") == "allow"
    assert await repository.action("git clean -fd", preset="autonomous") == "allow"
