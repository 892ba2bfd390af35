"""Who allows a command for good is not asked again because its action counts as `git push`."""

import pytest

from tools_app import gate
from tools_app.granted_actions import is_granted
from tools_app.permission.model import Layer, Rule
from tools_app.spec import PermissionNeed

ASKS = Layer("defaults", [Rule("bash", "*", "allow"), Rule("bash", "git push *", "ask"), Rule("bash", "ssh *", "ask")])
GRANT = Layer("grants", [Rule("bash", "frob *", "allow")])


def need(*patterns: str, spelling: str = "git push") -> PermissionNeed:
    return PermissionNeed("bash", patterns, metadata={"spellings": [spelling]})


@pytest.mark.parametrize("patterns", [["frob push"], ["cd src", "frob push", "tail -5"]])
def test_what_a_person_allowed_is_not_asked_again(patterns: list[str]) -> None:
    assert gate.judge([need(*patterns)], [ASKS]).action == "ask"
    assert gate.judge([need(*patterns)], [ASKS, GRANT]).action == "allow"
    assert gate.judge([need(*patterns, spelling="ssh host")], [ASKS, GRANT]).action == "allow"


def test_another_command_of_the_text_is_still_asked_about() -> None:
    assert gate.judge([need("frob push", "lerna version")], [ASKS, GRANT]).action == "ask"


def test_a_limit_is_not_loosened() -> None:
    limit = Layer("project", [Rule("bash", "git push *", "ask")])
    assert gate.judge([need("frob push")], [ASKS, GRANT], [limit]).action == "ask"


def test_a_deny_is_not_loosened() -> None:
    denies = Layer("team", [Rule("bash", "git push *", "deny")])
    assert gate.judge([need("frob push")], [ASKS, denies, GRANT]).action == "deny"


@pytest.mark.parametrize("spelling", ["rm a", "git push origin", "frob publish"])
def test_a_command_that_another_one_starts_is_still_asked_about(spelling: str) -> None:
    assert not is_granted(spelling, need("frob push"), [ASKS, GRANT], [])


def test_a_rule_of_the_repository_is_no_grant() -> None:
    file = Layer("project file", [Rule("bash", "frob *", "allow")])
    assert gate.judge([need("frob push")], [ASKS, file]).action == "ask"
