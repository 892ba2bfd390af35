"""Rules that decide about pushes."""

import pytest

from tools_app.gate import judge
from tools_app.permission import presets
from tools_app.permission.model import Action, Layer, Rule
from tools_app.permission.pushes import decide_push
from tools_app.spec import PermissionNeed

PROTECTED = Layer(
    "defaults for pushes",
    [Rule("git_push", "*", "ask"), Rule("git_push", "main", "deny"), Rule("git_push", "force:*", "deny")],
)


def decided(pattern: str, *rules: Rule, limits: tuple[Rule, ...] = ()) -> Action:
    preferences = [Layer("defaults", presets.rules("autonomous")), Layer("project", rules)]
    return decide_push(pattern, preferences, [Layer("limits", limits)] if limits else [], defaults=PROTECTED).action


def rule(pattern: str, action: Action = "allow", permission: str = "git_push") -> Rule:
    return Rule(permission, pattern, action)


@pytest.mark.parametrize(
    ("pattern", "rules", "action"),
    [
        ("x", [], "ask"),
        ("x", [rule("*", permission="*")], "ask"),
        ("x", [rule("*", permission="git_*")], "ask"),
        ("x", [rule("*")], "allow"),
        ("x", [rule("*", "deny", "*")], "deny"),
        ("main", [rule("*")], "deny"),
        ("main", [rule("*", "ask")], "deny"),
        ("main", [rule("main")], "allow"),
        ("main", [rule("m*", "ask")], "ask"),
        ("force:x", [rule("*"), rule("x")], "deny"),
        ("force:x", [rule("*x")], "deny"),
        ("force:x", [rule("force:*")], "allow"),
        ("workflows:x", [rule("*")], "ask"),
        ("workflows:x", [rule("workflows:x")], "allow"),
        ("delete:x", [rule("delete:*"), rule("*", "deny")], "deny"),
    ],
)
def test_rules_that_loosen_name_what_they_loosen(pattern: str, rules: list[Rule], action: Action) -> None:
    assert decided(pattern, *rules) == action


def test_limits_hold() -> None:
    assert decided("x", rule("x"), limits=(rule("*", "ask"),)) == "ask"
    assert decided("x", rule("x"), limits=(rule("*", "deny", "*"),)) == "deny"


def test_a_call_that_waits_is_judged_by_the_same_rules() -> None:
    needs = [PermissionNeed("git_push", ("agentsite/x", "workflows:agentsite/x"), (), {})]
    verdict = judge(needs, [Layer("defaults", presets.rules("balanced")), Layer("project", [rule("*")])])
    assert [each.decision.action for each in verdict.decisions] == ["allow", "ask"]
