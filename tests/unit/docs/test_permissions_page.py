"""The examples on the permissions page are correct: rules with the decisions about calls, and policies with their
limits."""

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from tests.corpora.shell.verdicts import Needs, needs_of
from tests.support.policy_text import parse_text
from tools_app import gate
from tools_app.permission import layers, presets
from tools_app.permission.model import Rule
from tools_app.policies.current import DEFAULTS, Policies
from tools_app.policies.documents import PolicyDocument
from tools_app.spec import PermissionNeed

PAGE: Final = Path(__file__).parents[3] / "docs" / "permissions.md"
_BLOCKS: Final = re.compile(r"^```(rules|calls)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_POLICIES: Final = re.compile(r"^```policies\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LIMITS: Final = re.compile(r"^```limits\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NAME: Final = re.compile(r"`(\w+)`")
_CALL: Final = re.compile(r"(?P<permission>\w+): (?P<pattern>.+?) {2,}(?P<action>allow|ask|deny)$")


@dataclass(frozen=True, slots=True)
class Example:
    rules: str
    permission: str
    pattern: str
    action: str

    def __str__(self) -> str:
        return f"{self.permission}: {self.pattern}"


def _examples() -> list[Example]:
    rules, found = "", []
    for kind, body in _BLOCKS.findall(PAGE.read_text()):
        if kind == "rules":
            rules = body
            continue
        for line in body.splitlines():
            call = _CALL.fullmatch(line)
            assert call, f"not an example: {line!r}"
            found.append(Example(rules, call["permission"], call["pattern"], call["action"]))
    return found


EXAMPLES: Final = _examples()


def test_the_page_has_examples_of_every_outcome() -> None:
    assert {example.action for example in EXAMPLES} == {"allow", "ask", "deny"}
    assert len(EXAMPLES) >= 20


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_an_example_of_the_page_holds(example: Example) -> None:
    document = parse_text(example.rules)
    team = tuple(Rule(rule.permission, rule.pattern, rule.action) for rule in document.rules)
    enforced = tuple(Rule(rule.permission, rule.pattern, rule.action) for rule in document.enforced)
    verdict = gate.judge(
        _needs(example),
        layers.preferences(agent="build", preset=document.preset or presets.DEFAULT, team=team),
        layers.limits(agent="build", team=enforced),
    )
    assert verdict.action == example.action


def test_the_limits_of_the_page_are_what_its_policies_say() -> None:
    policy = Policies(**_places()).sandbox()
    shown = {name: f"{limit.value:g} {limit.source}" for name, limit in policy.values.items()}
    shown["runtime"] = f"{policy.runtime} {policy.runtime_source}"
    (body,) = _LIMITS.findall(PAGE.read_text())
    lines = {name: f"{value} {source}" for name, value, source in map(str.split, body.splitlines())}
    assert len(lines) >= 5
    assert lines == {name: shown[name] for name in lines}


def test_every_limit_and_its_default_are_on_the_page() -> None:
    rows = [row.split("|") for row in PAGE.read_text().split("| option |")[1].splitlines() if row.startswith("| `")]
    said = {
        name: value
        for row in rows
        for name, value in zip(_NAME.findall(row[1]), row[3].strip().split(", "), strict=True)
    }
    assert said == {**{name: f"{value:g}" for name, value in DEFAULTS.items()}, "runtime": "the site's setting"}


def _places() -> dict[str, Any]:
    (body,) = _POLICIES.findall(PAGE.read_text())
    return {
        place: PolicyDocument.model_validate({"options": {"sandbox": options}})
        for place, options in json.loads(body).items()
    }


@cache
def _needs_of_commands() -> Needs:
    return needs_of(example.pattern for example in EXAMPLES if example.permission == "bash")


def _needs(example: Example) -> list[PermissionNeed]:
    if example.permission == "bash":
        return list(_needs_of_commands()[example.pattern])
    return [PermissionNeed(example.permission, (example.pattern,))]
