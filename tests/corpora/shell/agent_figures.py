"""Judge the commands of coding agents under each preset: count the necessary and the unnecessary permission requests,
with the reasons.

`python -m tests.corpora.shell.agent_figures` prints the figures; with `-v` also each command with an unnecessary
permission request.
"""

import os
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from tests.corpora.shell.corpus import AgentCommand, agent_commands
from tests.corpora.shell.verdicts import Needs, needs_of
from tools_app import gate
from tools_app.permission import layers, presets
from tools_app.permission.model import Layer

os.environ.setdefault("SANDBOX_LOCAL_FOR_TESTS", "yes")

_PRESETS: Final[Mapping[str, Sequence[Layer]]] = {
    name: layers.preferences(agent="build", preset=name) for name in presets.NAMES
}
_DETAIL: Final = re.compile(r"[:(].*|'[^']*'|`[^`]*`", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Judged:
    """A command of a coding agent, the result of its analysis, and the decisions of the permission rules about it."""

    one: AgentCommand
    complete: bool
    reasons: tuple[str, ...]
    actions: Mapping[str, str]
    """The action for the command by preset."""
    asked: tuple[str, ...]
    """The permissions that are requested under `balanced`, as "permission pattern"."""

    @property
    def is_asked_without_need(self) -> bool:
        return self.one.wanted == "allow" and self.actions["balanced"] != "allow"

    @property
    def is_allowed_against_the_label(self) -> bool:
        return self.one.wanted != "allow" and self.actions["balanced"] == "allow"


@cache
def judged() -> tuple[Judged, ...]:
    """Judge every command of the coding agents in the workspace of `workspace.py`."""
    needs = needs_of(one.command for one in agent_commands())
    return tuple(_judged(one, needs) for one in agent_commands())


def asked_without_need() -> list[Judged]:
    return [each for each in judged() if each.is_asked_without_need]


def _judged(one: AgentCommand, needs: Needs) -> Judged:
    own = needs[one.command][-1].metadata
    verdicts = {name: gate.judge(needs[one.command], rules) for name, rules in _PRESETS.items()}
    asked = tuple(f"{need.permission} {each}" for need in verdicts["balanced"].asked for each in need.patterns)
    actions = {name: verdict.action for name, verdict in verdicts.items()}
    return Judged(one, own["complete"], tuple(own["reasons"]), actions, asked)


def _why(each: Judged) -> list[str]:
    """Return the kinds of reasons for which a command needs a permission request under the preset `balanced`."""
    if each.reasons:
        return sorted({_DETAIL.sub("", reason).strip() for reason in each.reasons})
    return sorted({f"no rule allows: {asked.split(' ')[0]}" for asked in each.asked})


def _print_figures(found: Sequence[Judged]) -> None:
    size = len(found)
    print(f"commands             {size}: " + ", ".join(f"{n} {does}" for does, n in _classes(found).items()))
    print(f"complete             {sum(each.complete for each in found) / size:.1%}")
    for name in _PRESETS:
        asked = [each for each in found if each.actions[name] != "allow"]
        by_class = ", ".join(f"{n} {does}" for does, n in _classes(asked).items())
        print(f"asked, {name:<12}  {len(asked) / size:.1%} ({by_class})")
    needless = asked_without_need()
    print(f"asked without need   {len(needless)} = {len(needless) / size:.1%} under balanced (at most 5 %)")
    for reason, count in Counter(why for each in needless for why in _why(each)).most_common():
        print(f"    {count:>4}  {reason}")
    for each in found:
        if each.is_allowed_against_the_label:
            print(f"allowed, to be asked {each.one.does}: {each.one.command!r}")


def _classes(found: Sequence[Judged]) -> dict[str, int]:
    return dict(Counter(each.one.does for each in found).most_common())


def main() -> None:
    found = judged()
    if "-v" in sys.argv[1:]:
        for each in asked_without_need():
            print(f"asked without need   {each.one.command!r}\n    {'; '.join((*each.reasons, *each.asked))}")
    _print_figures(found)


if __name__ == "__main__":
    main()
