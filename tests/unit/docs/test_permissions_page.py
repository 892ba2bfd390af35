"""Every example on the permissions page holds: a block of rules, and below it calls with what becomes of them."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests.corpora.shell.verdicts import needs_of
from tools_app import gate
from tools_app.permission import layers
from tools_app.permission.model import Rule
from tools_app.policies.text import parse_text
from tools_app.spec import PermissionNeed

PAGE: Final = Path(__file__).parents[3] / "docs" / "permissions.md"
_BLOCKS: Final = re.compile(r"^```(rules|calls)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
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
        _needs(example), layers.preferences(agent="build", team=team), layers.limits(agent="build", team=enforced)
    )
    assert verdict.action == example.action


def _needs(example: Example) -> list[PermissionNeed]:
    if example.permission == "bash":
        return list(needs_of([example.pattern])[example.pattern])
    return [PermissionNeed(example.permission, (example.pattern,))]
