"""Commands that `find` runs with names that stand inside of their words: `{}/a`, `{}.bak`."""

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
