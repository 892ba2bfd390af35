import json
from typing import Any

import pytest

from tools_app.permission.model import Rule
from tools_app.policies.project_files import FILES, MAX_RULES, bounded_files, broken_file, file_rules, read_file


def read(content: Any) -> dict[str, Any]:
    return read_file("agentsite.json", content if isinstance(content, bytes) else json.dumps(content).encode())


def test_a_file_says_its_rules_in_order() -> None:
    said = read({"permission": {"edit": "ask", "bash": {"*": "ask", "rm *": "deny"}}, "theme": "dark"})
    assert said["problem"] == ""
    assert file_rules([said]) == (Rule("edit", "*", "ask"), Rule("bash", "*", "ask"), Rule("bash", "rm *", "deny"))


def test_the_order_of_rules_survives_a_database_that_sorts_keys() -> None:
    said = read({"permission": {"bash": {"rm *": "allow", "*": "deny"}}})
    kept = json.loads(json.dumps(said, sort_keys=True))
    assert [rule.pattern for rule in file_rules([kept])] == ["rm *", "*"]


def test_a_file_that_says_nothing_about_permissions_has_no_rules() -> None:
    assert (read({"theme": "dark"})["rules"], read({"theme": "dark"})["problem"]) == ([], "")


def test_one_action_means_everything() -> None:
    assert file_rules([read({"permission": "ask"})]) == (Rule("*", "*", "ask"),)


def test_a_home_at_the_start_of_a_pattern_is_the_sandboxes() -> None:
    assert file_rules([read({"permission": {"read": {"~/x": "deny"}}})]) == (Rule("read", "/home/agent/x", "deny"),)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"not json",
        b"[]",
        b"[" * 60_000,
        b'{"permission": 3}',
        b'{"permission": {"bash": ["deny"]}}',
        b'{"permission": {"bash": {"*": "maybe"}}}',
        b'{"permission": {"bash": {"*": null}}}',
        b'{"permission": {"bash": {"\\u0000": "deny"}}}',
        b'{"permission": {"\\ud800": "deny"}}',
        b'{"permission": {"bash": {"*": NaN}}}',
        json.dumps({"permission": {"bash": {"*" * 2001: "deny"}}}).encode(),
        json.dumps({"permission": {"b" * 2001: "deny"}}).encode(),
        json.dumps({"permission": {"bash": {str(n): "deny" for n in range(MAX_RULES + 1)}}}).encode(),
    ],
)
def test_a_file_that_is_not_understood_has_a_problem_and_loosens_nothing(content: bytes) -> None:
    said = read(content)
    assert said["problem"]
    assert (said["rules"], said["permission"], file_rules([said])) == ([], {}, ())
    json.dumps(said).encode("utf-8")
    assert "\0" not in said["problem"]


def test_a_byte_order_mark_is_no_problem() -> None:
    assert read(b'\xef\xbb\xbf{"permission": "deny"}')["rules"] == [
        {"permission": "*", "pattern": "*", "action": "deny"}
    ]


def test_later_files_win_because_their_rules_come_later() -> None:
    files = [read({"permission": {"edit": "deny"}}), broken_file("x", "no"), read({"permission": {"edit": "ask"}})]
    assert [rule.action for rule in file_rules(files)] == ["deny", "ask"]


def test_both_names_and_both_endings_may_stand_in_three_places() -> None:
    assert len(FILES) == 12
    assert FILES[0] == "opencode.json"
    assert FILES[-1] == ".agentsite/agentsite.jsonc"


def test_a_file_that_makes_the_rules_too_many_together_says_nothing_and_why() -> None:
    half = {"permission": {"bash": {f"{n} *": "deny" for n in range(MAX_RULES // 2)}}}
    files = bounded_files([read(half), read(half), read({"permission": "deny"}), read({})])
    assert [len(said["rules"]) for said in files] == [MAX_RULES // 2, MAX_RULES // 2, 0, 0]
    assert ["500 rules" in said["problem"] for said in files] == [False, False, True, False]
