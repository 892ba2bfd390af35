import pytest

from tools_app.permission.model import BadRule, Rule, rules_from_config

HOME = "/home/agent"


def test_config_keeps_its_order_and_a_string_stands_for_everything() -> None:
    config: dict[str, str | dict[str, str]] = {
        "edit": "ask",
        "bash": {"*": "ask", "git status *": "allow", "rm *": "deny"},
    }
    assert rules_from_config(config, home=HOME) == (
        Rule("edit", "*", "ask"),
        Rule("bash", "*", "ask"),
        Rule("bash", "git status *", "allow"),
        Rule("bash", "rm *", "deny"),
    )


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("~", HOME),
        ("~/x/*", f"{HOME}/x/*"),
        ("$HOME", HOME),
        ("$HOME/x", f"{HOME}/x"),
        ("$HOMER/x", "$HOMER/x"),
        ("~other/x", "~other/x"),
        ("a/~/x", "a/~/x"),
    ],
)
def test_home_is_expanded_at_the_start_of_a_pattern_only(written: str, meant: str) -> None:
    (rule,) = rules_from_config({"read": {written: "allow"}}, home=HOME)
    assert rule.pattern == meant


@pytest.mark.parametrize(
    "config", [{"bash": "yes"}, {"bash": {"ls": True}}, {"bash": 3}, {"bash": ["ls"]}, {"bash": None}]
)
def test_a_value_that_is_no_action_names_its_place(config: dict[str, str]) -> None:
    with pytest.raises(BadRule, match="bash"):
        rules_from_config(config, home=HOME)
