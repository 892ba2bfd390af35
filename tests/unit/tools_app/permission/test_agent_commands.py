"""Decisions of the presets about commands that coding agents run. `python -m tests.corpora.shell.agent_figures` prints
the commands that need a permission request, and the reasons."""

from typing import Final

from tests.corpora.shell.agent_figures import asked_without_need, judged
from tests.corpora.shell.corpus import DOES, agent_commands

MOST_ASKED_WITHOUT_NEED: Final = 0.05
MOST_NEEDLESS_WHEN_CONTAINED: Final = 0.015
"""Most of these commands are about a folder that holds protected files, but leave these out or touch others only."""


def test_there_are_enough_of_them_of_every_kind() -> None:
    assert len(agent_commands()) >= 400
    assert {one.does for one in agent_commands()} == set(DOES)


def test_no_command_stands_twice() -> None:
    commands = [one.command for one in agent_commands()]
    assert [each for each in set(commands) if commands.count(each) > 1] == []


def test_few_are_asked_without_need_under_balanced() -> None:
    needless = asked_without_need()
    assert len(needless) <= MOST_ASKED_WITHOUT_NEED * len(judged()), "\n".join(each.one.command for each in needless)


def test_under_contained_only_what_can_be_seen_to_leave_it_is_asked() -> None:
    loose = [each.one.command for each in judged() if each.actions["contained"] == "allow" and not each.one.stays]
    needless = [each.one.command for each in judged() if each.actions["contained"] != "allow" and each.one.stays]
    assert loose == []
    assert len(needless) <= MOST_NEEDLESS_WHEN_CONTAINED * len(judged()), needless


def test_what_is_to_be_asked_under_balanced_is_asked() -> None:
    """No agent command whose label requires a permission request under `balanced` is allowed. One test covers all
    groups, because each process that runs it judges all commands first, which takes seconds."""
    allowed = [f"{each.one.group}: {each.one.command}" for each in judged() if each.is_allowed_against_the_label]
    assert allowed == []
