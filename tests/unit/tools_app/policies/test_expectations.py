from typing import Any

import pytest
from pydantic import ValidationError

from tools_app.policies.current import Policies
from tools_app.policies.documents import MAX_COMMAND_CHARS, Expectation, PolicyDocument
from tools_app.policies.expectations import check_expectations


def expected(expect: str, **call: str) -> Expectation:
    return Expectation.model_validate({"expect": expect, **call})


def policy(*rules: tuple[str, str, str], enforced: tuple[tuple[str, str, str], ...] = (), **more: Any) -> Policies:
    names = ("action", "permission", "pattern")
    document = {
        "rules": [dict(zip(names, rule, strict=True)) for rule in rules],
        "enforced": [dict(zip(names, rule, strict=True)) for rule in enforced],
        **more,
    }
    return Policies(team=PolicyDocument.model_validate(document))


def action(expectation: Expectation, policies: Policies) -> str:
    return check_expectations([expectation], policies)[0].action


def test_an_expectation_holds_when_the_rules_say_so() -> None:
    (result,) = check_expectations(
        [expected("deny", permission="read", pattern="x.pem")], policy(("deny", "read", "*.pem"))
    )
    assert (result.ok, result.index, result.action) == (True, 0, "deny")


def test_one_that_does_not_hold_names_the_rule_that_decided() -> None:
    (result,) = check_expectations(
        [expected("deny", permission="read", pattern="x.pem")], policy(("allow", "read", "*"))
    )
    assert result.problem == "expected deny, would be allow: rule `allow read *` of team"


def test_what_no_rule_speaks_about_is_said_too() -> None:
    (result,) = check_expectations(
        [expected("allow", permission="no_such", pattern="x")], policy(("allow", "read", "*"))
    )
    assert not result.ok
    assert "rule `ask * *` of defaults" in result.problem


@pytest.mark.parametrize("command", ["rm -rf /", "echo hi; rm -rf /", "env rm -rf /", "bash -c 'rm -rf /'"])
def test_a_command_is_judged_with_everything_it_would_run(command: str) -> None:
    assert action(expected("deny", command=command), policy(enforced=(("deny", "bash", "rm *"),))) == "deny"


def test_a_command_is_judged_with_what_it_reads() -> None:
    assert action(expected("deny", command="cat .env"), policy(enforced=(("deny", "read", ".env"),))) == "deny"


def test_a_command_is_judged_with_where_it_goes_outside() -> None:
    rules = policy(("allow", "bash", "*"), enforced=(("deny", "external_directory", "/etc/*"),))
    assert action(expected("deny", command="cat /etc/passwd"), rules) == "deny"


def test_a_command_that_is_allowed_is_allowed() -> None:
    assert action(expected("allow", command="make all"), policy(("allow", "bash", "make *"))) == "allow"


def test_an_agent_is_judged_by_its_own_bounds() -> None:
    allow_all = policy(("allow", "*", "*"))
    assert action(expected("allow", permission="edit", pattern="a.py"), allow_all) == "allow"
    assert action(expected("deny", permission="edit", pattern="a.py", agent="plan"), allow_all) == "deny"


@pytest.mark.parametrize(
    "call",
    [
        {},
        {"command": "ls", "pattern": "ls"},
        {"command": "ls", "permission": "read"},
        {"pattern": "x", "permission": ""},
        {"pattern": "x", "agent": ""},
        {"command": "x" * 10_001},
    ],
)
def test_an_expectation_names_exactly_one_call(call: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        expected("ask", **call)


def test_expected_commands_are_bounded_together() -> None:
    long = {"expect": "ask", "command": "x" * 10_000}
    with pytest.raises(ValidationError, match="together"):
        PolicyDocument.model_validate({"expectations": [long] * (MAX_COMMAND_CHARS // 10_000 + 1)})
