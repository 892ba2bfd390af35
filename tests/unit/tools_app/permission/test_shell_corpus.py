"""No command of the corpora bypasses the rules, and few commands are asked about without need. `python -m
tests.corpora.shell` prints all results."""

from collections.abc import Sequence
from typing import Final

import pytest

from tests.corpora.shell.corpus import everyday, ways_around
from tests.corpora.shell.scenarios import SCENARIOS
from tests.corpora.shell.verdicts import Needs, needs_of_corpora, passing, verdict
from tests.support.lanes import sampled

MOST_ASKED_WITHOUT_NEED: Final = 0.05
WAYS: Final = sampled(ways_around(), every=6)
NAMES: Final = frozenset(way.id for way in WAYS)


@pytest.fixture(scope="module")
def needs() -> Needs:
    return needs_of_corpora(WAYS)


def test_no_way_around_passes(needs: Needs) -> None:
    """No command of the corpora bypasses the rules. A failure lists every command that does."""
    passed = [f"{way.id}: {each}" for way in WAYS for each in passing(way, needs, NAMES)]
    assert passed == []


def test_what_somebody_wants_to_be_asked_is_asked(needs: Needs) -> None:
    allowed = [
        f"{one.command!r}: {one.reason}"
        for one in everyday()
        if not one.is_harmless and verdict(one.command, needs).action == "allow"
    ]
    assert allowed == []


def test_few_everyday_commands_are_asked_without_need(needs: Needs) -> None:
    needless = [one.command for one in everyday() if one.is_harmless and verdict(one.command, needs).action != "allow"]
    assert len(needless) <= MOST_ASKED_WITHOUT_NEED * len(everyday()), "\n".join(needless)


def test_the_corpora_are_as_large_as_promised() -> None:
    assert len(ways_around()) >= 300
    assert len(everyday()) >= 500


@pytest.mark.parametrize("names", [[way.id for way in ways_around()], [one.command for one in everyday()]])
def test_no_case_stands_twice(names: Sequence[str]) -> None:
    assert [name for name in set(names) if names.count(name) > 1] == []


def test_every_scenario_is_used_and_none_is_missing() -> None:
    assert {name for way in ways_around() for name in way.judged} == set(SCENARIOS)
