"""Policies that decide about commands with an incomplete analysis."""

import json
from typing import Any

import pytest

from tools_app.gate import judge
from tools_app.permission.model import Layer, Rule
from tools_app.policies.current import Policies
from tools_app.policies.documents import PolicyDocument
from tools_app.policies.project_files import file_rules, read_file
from tools_app.spec import PermissionNeed

UNREAD = [PermissionNeed("bash", ("python3 -c x",), (), {"complete": False})]


def policies(**places: dict[str, Any]) -> Policies:
    documents: dict[str, Any] = {place: PolicyDocument.model_validate(document) for place, document in places.items()}
    return Policies(**documents)


def option(value: str, **more: Any) -> dict[str, Any]:
    return {"options": {"incomplete_commands": value}, **more}


def action(found: Policies, **more: Any) -> str:
    return judge(UNREAD, *found.layers(agent="build", **more)).action


@pytest.mark.parametrize(
    ("preset", "decided"), [("cautious", "ask"), ("balanced", "ask"), ("autonomous", "ask"), ("contained", "allow")]
)
def test_without_an_option_the_preset_decides(preset: str, decided: str) -> None:
    assert policies(team={"preset": preset}).incomplete_commands == decided
    assert action(policies(team={"preset": preset})) == decided


def test_an_option_changes_what_the_preset_says() -> None:
    assert action(policies(team=option("allow", preset="autonomous"))) == "allow"
    assert action(policies(team=option("ask", preset="contained"))) == "ask"


@pytest.mark.parametrize("strict", ["site", "team", "project"])
def test_the_strictest_of_the_policies_applies(strict: str) -> None:
    places = {place: option("allow", preset="contained") for place in ("site", "team", "project")}
    assert action(policies(**{**places, strict: option("ask")})) == "ask"
    assert action(policies(**places)) == "allow"


def test_the_option_allows_no_command_that_the_rules_ask_about() -> None:
    assert action(policies(team=option("allow"))) == "ask"


def test_a_file_of_the_repository_cannot_switch_it_on() -> None:
    text = json.dumps({
        "preset": "contained", "options": {"incomplete_commands": "allow"}, "incomplete_commands": "allow",
        "permission": {"*": "allow", "bash": "allow"},
    })  # fmt: skip
    rules = file_rules([read_file("agentsite.json", text.encode())])
    loosening = policies(team={"options": {"loosenable": [{"permission": "*", "pattern": "*"}]}})
    assert [rule.permission for rule in rules] == ["*", "bash"]
    assert action(loosening, project_file=rules) == "ask"


def test_a_file_of_the_repository_can_switch_it_off() -> None:
    rules = file_rules([read_file("agentsite.json", b'{"permission": {"bash": "ask"}}')])
    assert action(policies(team={"preset": "contained"}), project_file=rules) == "ask"


def test_enforced_rules_and_what_a_parent_session_denies_hold() -> None:
    denied = Rule("bash", "python3 *", "deny")
    contained = {"preset": "contained"}
    assert action(policies(site={"enforced": [denied.as_dict()]}, team=contained)) == "deny"
    assert action(policies(team=contained), inherited=[Layer("parent session", [denied])]) == "deny"


def test_the_plan_agent_is_asked_as_before() -> None:
    need = [PermissionNeed("bash", ("ls $x",), (), {"complete": False})]
    assert judge(need, *policies(team={"preset": "contained"}).layers(agent="plan")).action == "ask"
    assert judge(UNREAD, *policies(team={"preset": "contained"}).layers(agent="plan")).action == "deny"
