"""Memory budgets for file names: of a single request, and of all requests together."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from sandbox.runner.budgets import AnswerRoom, MemoryPool, NameList
from sandbox.runner.tree_walk import walk

MIB: Final = 1 << 20


def test_a_request_gets_a_part_of_the_pool_and_gives_it_back() -> None:
    pool = MemoryPool(90 * MIB)
    with pool.budget() as first, pool.budget() as second, pool.budget(MIB) as third:
        assert (pool.total, first.limit, third.limit) == (30 * MIB, 10 * MIB, MIB)
        assert first.spend(9 * MIB)
        assert not first.spend(2 * MIB)
        assert (first.is_spent, second.is_spent) == (True, False)

        first.refund(8 * MIB)
        assert first.spend(2 * MIB)

    assert pool.take(pool.total)


def test_requests_side_by_side_never_have_more_than_the_pool() -> None:
    pool = MemoryPool(90 * MIB)
    budgets = [pool.budget() for _ in range(4)]

    assert [budget.spend(10 * MIB) for budget in budgets] == [True, True, True, False]
    budgets[0].close()
    assert budgets[3].spend(10 * MIB)


def test_output_is_cut_into_names_and_ends_with_the_budget_or_the_count() -> None:
    with MemoryPool().budget(2000) as budget:
        listed = NameList(budget, 3)
        assert [listed.feed(chunk) for chunk in (b"a\0b", b"c\0", b"", b"d\0e\0")] == ["", "", "", "enough"]
        assert (listed.names, listed.is_cut) == ([b"a", b"bc", b"d"], True)

        long = NameList(budget, 3)
        assert long.feed(b"x" * 2000 + b"\0") == "enough"
        assert (long.names, long.is_cut) == ([], True)


def test_an_answer_has_a_limit_of_its_own() -> None:
    with MemoryPool().budget() as budget:
        room = AnswerRoom(budget)
        assert room.fits("x" * (20 * MIB))
        assert not room.fits("x" * (20 * MIB))
        assert not budget.is_spent


@pytest.fixture
def wide_fd(tmp_path: Path) -> Iterator[int]:
    """Create a hundred folders with a hundred files each; yield a descriptor of their parent."""
    for folder in range(100):
        (tmp_path / f"{folder:02}").mkdir()
        for name in range(100):
            (tmp_path / f"{folder:02}" / f"{name:02}").touch()
    fd = os.open(tmp_path, os.O_PATH | os.O_DIRECTORY)
    yield fd
    os.close(fd)


def test_a_walk_needs_memory_for_what_it_keeps_and_not_for_what_it_has_passed(wide_fd: int) -> None:
    with MemoryPool().budget(40_000) as budget:
        found = [names for _, names in walk(wide_fd, budget=budget, limit=100_000)]

        assert sum(map(len, found)) == 10_000
        assert not budget.is_spent


def test_a_walk_ends_when_its_budget_is_spent_and_says_so(wide_fd: int) -> None:
    with MemoryPool().budget(20_000) as budget:
        found = [names for _, names in walk(wide_fd, budget=budget, limit=100_000)]

        assert sum(map(len, found)) < 10_000
        assert budget.is_spent
