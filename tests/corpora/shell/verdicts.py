"""Judge commands with the bash tool on a real runtime, without fakes, and with the gate, which decides by rules."""

import asyncio
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from sandbox.local import LocalDeployment
from sandbox.ports import SandboxSpec
from tests.corpora.shell import workspace
from tests.corpora.shell.corpus import Everyday, Way, everyday, ways_around
from tests.corpora.shell.scenarios import SCENARIOS
from tests.support.tool_context import make_context
from tools_app import gate
from tools_app.builtin.bash import BashArguments, BashTool
from tools_app.gate import SessionPathRules
from tools_app.spec import PathRules, PermissionNeed

_OUTSIDE_OF_TMP: Final = "/var/tmp"
Needs = Mapping[str, Sequence[PermissionNeed]]


@dataclass(frozen=True, slots=True)
class Passed:
    """A command that bypasses the rules of a scenario without a permission request."""

    way: Way
    scenario: str

    def __str__(self) -> str:
        return f"{self.way.id} passes under {self.scenario}: {self.way.command!r} ({self.way.does})"


@dataclass(frozen=True, slots=True)
class Report:
    passed: tuple[Passed, ...]
    asked_without_need: tuple[Everyday, ...]
    silently_allowed: tuple[Everyday, ...]

    @property
    def share_asked_without_need(self) -> float:
        return len(self.asked_without_need) / len(everyday())


def passing(way: Way, needs: Needs, names: frozenset[str] = frozenset()) -> list[Passed]:
    """Return the scenarios under which a command bypasses the rules. `names`: the ids of the commands of this run;
    empty for all."""
    found = {name: needs_with_rules(name, names) if way.with_rules else needs for name in way.judged}
    return [Passed(way, name) for name, its in found.items() if verdict(way.command, its, name).action == "allow"]


def verdict(command: str, needs: Needs, scenario: str = "balanced") -> gate.Verdict:
    rules = SCENARIOS[scenario]
    return gate.judge(needs[command], rules.preferences, rules.limits)


def needs_of_corpora(ways: Sequence[Way] | None = None) -> Needs:
    """Return the permissions that each command of both corpora needs in the workspace of `workspace.py`. `ways` are the
    bypassing commands of this run; None for all."""
    commands = (way.command for way in ways or ways_around() if not way.with_rules)
    return needs_of([*commands, *(one.command for one in everyday())])


@cache
def needs_with_rules(scenario: str, names: frozenset[str] = frozenset()) -> Needs:
    """Return the permission needs of the commands that try to bypass the rules of a scenario. Files that these rules
    name are searched for. `names`: the ids of the commands of this run; empty for all."""
    rules = SCENARIOS[scenario]
    ways = (way for way in ways_around() if not names or way.id in names)
    commands = [way.command for way in ways if way.with_rules and scenario in way.judged]
    return needs_of(commands, SessionPathRules(rules.preferences, rules.limits))


def report() -> Report:
    needs = needs_of_corpora()
    allowed = {one: verdict(one.command, needs).action == "allow" for one in everyday()}
    return Report(
        tuple(passed for way in ways_around() for passed in passing(way, needs)),
        tuple(one for one, is_allowed in allowed.items() if one.is_harmless and not is_allowed),
        tuple(one for one, is_allowed in allowed.items() if is_allowed and not one.is_harmless),
    )


def needs_of(commands: Iterable[str], rules: PathRules | None = None) -> Needs:
    """Return the permissions that each command needs in the workspace of `workspace.py`. Without rules, the search
    looks for all files."""
    return asyncio.run(_needs(commands, rules))


async def _known(rules: PathRules) -> PathRules:
    return rules


async def _needs(commands: Iterable[str], rules: PathRules | None) -> Needs:
    with TemporaryDirectory(dir=_OUTSIDE_OF_TMP) as folder:
        deployment = LocalDeployment(Path(folder), for_tests=True)
        spec = SandboxSpec(f"wsp_{uuid.uuid4().hex[:12]}", "none")
        runtime = await deployment.ensure(spec)
        workspace.make(deployment.files_of(spec.workspace_id))
        workspace.make_home(Path(folder) / spec.workspace_id / "home")
        context = replace(make_context(runtime), path_rules=partial(_known, rules) if rules else None)
        try:
            return {each: await BashTool().needs(BashArguments(command=each), context) for each in commands}
        finally:
            await deployment.close()
