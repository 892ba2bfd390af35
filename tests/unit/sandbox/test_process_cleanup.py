"""The runner's search for processes that a call left behind, and the end of that search."""

import time

import pytest

from sandbox.runner import process_cleanup
from sandbox.runner.privileges import SingleUser
from sandbox.runner.process_cleanup import remove_strays


class Strays:
    """A fake search for stray processes. Each search returns the next of `found`; further searches return the last one
    again."""

    def __init__(self, *found: set[int]) -> None:
        self._found = list(found)
        self.searches = 0

    def __call__(self, *_: object) -> set[int]:
        self.searches += 1
        return self._found.pop(0) if len(self._found) > 1 else self._found[0]


def removed(monkeypatch: pytest.MonkeyPatch, strays: Strays) -> int:
    """Remove stray processes, with a clock on which each search takes a second. Return the number of searches."""
    monkeypatch.setattr(process_cleanup, "_kill_found", strays)
    monkeypatch.setattr(time, "monotonic", lambda: float(strays.searches))
    monkeypatch.setattr(time, "sleep", lambda _: None)
    remove_strays(SingleUser(), [], lambda: None)
    return strays.searches


def test_the_search_goes_on_while_new_processes_appear(monkeypatch: pytest.MonkeyPatch) -> None:
    assert removed(monkeypatch, Strays({1, 2}, {3}, {4}, {5}, {6}, set())) == 6


def test_processes_that_cannot_be_killed_are_left_after_two_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    assert removed(monkeypatch, Strays({1, 2}, {1})) == 4


def test_a_bomb_that_is_never_defused_does_not_hold_the_call_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    assert removed(monkeypatch, Strays(*({number} for number in range(100)))) == process_cleanup.CLEANUP_LIMIT
