from tools_app import gate
from tools_app.permission.model import Layer, Rule
from tools_app.spec import PermissionNeed

RULES = [
    Layer(
        "defaults",
        [
            Rule("edit", "*", "allow"),
            Rule("edit", "*.env", "ask"),
            Rule("edit", "secret/*", "deny"),
            Rule("bash", "git *", "allow"),
        ],
    )
]


def need(permission: str, *patterns: str, **metadata: object) -> PermissionNeed:
    return PermissionNeed(permission, patterns, patterns, metadata)


def test_a_call_that_needs_nothing_is_allowed() -> None:
    verdict = gate.judge([], RULES)
    assert (verdict.action, verdict.asked, verdict.denied, verdict.deciding) == ("allow", (), (), None)


def test_all_allowed_runs_silently() -> None:
    assert gate.judge([need("edit", "a.py", "b.py")], RULES).action == "allow"


def test_one_denied_part_denies_the_call() -> None:
    verdict = gate.judge([need("edit", "a.py"), need("edit", "x.env"), need("edit", "secret/b")], RULES)
    assert verdict.action == "deny"
    assert [judged.pattern for judged in verdict.denied] == ["secret/b"]
    assert "edit `secret/b` (rule `edit: secret/*` of defaults)" in gate.denial_text(verdict)


def test_only_the_patterns_in_question_are_asked() -> None:
    verdict = gate.judge([need("edit", "a.py", "x.env"), need("edit", "b.py")], RULES)
    assert verdict.action == "ask"
    assert [(each.permission, each.patterns) for each in verdict.asked] == [("edit", ("x.env",))]
    assert len(verdict.decisions) == 3


def test_a_need_without_patterns_is_not_overlooked() -> None:
    assert gate.judge([need("external_directory")], RULES).action == "ask"


def test_every_decision_has_the_shape_of_the_interface() -> None:
    judged = gate.judge([need("edit", "x.env")], RULES).deciding
    assert judged is not None
    assert judged.as_dict() == {
        "action": "ask",
        "permission": "edit",
        "pattern": "x.env",
        "rule": {"permission": "edit", "pattern": "*.env", "action": "ask"},
        "layer": "defaults",
    }


def test_an_undecided_request_has_no_rule_and_an_empty_layer() -> None:
    judged = gate.judge([need("unknown", "x")], RULES).deciding
    assert judged is not None
    assert (judged.as_dict()["rule"], judged.as_dict()["layer"]) == (None, "")


def test_an_allow_of_a_shape_does_not_cover_a_text_that_nobody_understood() -> None:
    assert gate.judge([need("bash", "git log", complete=True)], RULES).action == "allow"
    assert gate.judge([need("bash", "git log; rm -rf .", complete=False)], RULES).action == "ask"


def test_an_allow_of_everything_does_not_cover_it_either() -> None:
    layers = [*RULES, Layer("session", [Rule("bash", "*", "allow")])]
    assert gate.judge([need("bash", "eval $x", complete=False)], layers).action == "ask"


def test_an_allow_of_the_very_text_covers_it_and_everything_in_it() -> None:
    text = "git log; eval $x"
    layers = [*RULES, Layer("grants", [Rule("bash", text, "allow")])]
    incomplete = need("bash", "git log", "eval $x", complete=False, text=text)
    assert gate.judge([incomplete], layers).action == "allow"
    assert (
        gate.judge([need("bash", "git log", "eval $y", complete=False, text="git log; eval $y")], layers).action
        == "ask"
    )


def test_an_allow_of_the_very_text_loosens_no_deny_and_no_limit() -> None:
    text = "git log; eval $x"
    allowed = Layer("grants", [Rule("bash", text, "allow")])
    incomplete = need("bash", "git log", "eval $x", complete=False, text=text)
    denied = [*RULES, Layer("team", [Rule("bash", "eval *", "deny")]), allowed]
    assert gate.judge([incomplete], denied).action == "deny"
    assert (
        gate.judge([incomplete], [*RULES, allowed], [Layer("team limits", [Rule("bash", "eval *", "ask")])]).action
        == "ask"
    )


def test_an_always_answer_becomes_rules_once_each() -> None:
    needs = [PermissionNeed("bash", ("a",), ("a",)), PermissionNeed("bash", ("a",), ("a",)), need("edit")]
    assert gate.grant_rules(needs) == (Rule("bash", "a", "allow"),)


def test_a_once_answer_covers_the_same_needs_and_nothing_else() -> None:
    approved = [need("edit", "a.py", diff="-1 +2")]
    assert gate.uncovered([need("edit", "a.py", diff="-1 +2")], approved) == ()
    for other in (need("edit", "b.py", diff="-1 +2"), need("edit", "a.py", diff="-1 +3"), need("read", "a.py")):
        assert gate.uncovered([other], approved) == (other,)


def test_a_need_survives_being_stored() -> None:
    given = PermissionNeed("edit", ("a.py",), ("*",), {"diff": "x", "additions": 1})
    assert gate.need_from_dict(gate.need_as_dict(given)) == given


ANYTHING = (Rule("bash", "*", "allow"), Rule("bash", "git push *", "ask"), Rule("bash", "rm *", "deny"))
CONTAINED = [Layer("defaults", ANYTHING, runs_incomplete=True)]


def incomplete(*patterns: str, **metadata: object) -> list[PermissionNeed]:
    return [need("bash", *patterns, complete=False, **metadata)]


def test_where_a_policy_says_so_an_incomplete_command_is_judged_by_what_was_found_in_it() -> None:
    assert gate.judge(incomplete("python3 -c x"), CONTAINED).action == "allow"
    assert gate.judge(incomplete("eval $x", "git push origin"), CONTAINED).action == "ask"
    assert gate.judge(incomplete("eval $x", "rm -rf src"), CONTAINED).action == "deny"
    assert gate.judge(incomplete("eval $x", spellings=["rm -rf src"]), CONTAINED).action == "deny"


def test_an_incomplete_command_is_asked_where_not_every_command_is_allowed() -> None:
    """An incomplete command needs a permission request unless every command is allowed, because its undetected part may
    be any command."""
    some = [Layer("defaults", [Rule("bash", "python3 *", "allow")], runs_incomplete=True)]
    assert gate.judge(incomplete("python3 -c x"), some).action == "ask"
    asking_file = Layer("project file", [Rule("bash", "*", "ask"), Rule("bash", "python3 *", "allow")])
    assert gate.judge(incomplete("python3 -c x"), [*CONTAINED, asking_file]).action == "ask"


def test_a_limit_about_every_command_holds_for_what_was_not_found() -> None:
    only_looking = [Rule("bash", "*", "deny"), Rule("bash", "ls *", "allow")]
    assert gate.judge(incomplete("ls $x"), CONTAINED, [Layer("agent plan", only_looking)]).action == "ask"
    assert gate.judge(incomplete("make $x"), CONTAINED, [Layer("agent plan", only_looking)]).action == "deny"


UNASKED = [
    Layer("defaults", [Rule("bash", "*", "allow"), Rule("bash", "git push *", "ask"), Rule("bash", "gh *", "ask")],
          runs_incomplete=True)
]  # fmt: skip


def test_a_need_that_counts_only_where_nobody_is_asked_is_left_out_elsewhere() -> None:
    named = need("edit", "secret/b", if_unasked=True)
    assert gate.judge([named], RULES).decisions == ()
    assert gate.judge([named], [*RULES, *UNASKED]).action == "deny"


def test_a_need_may_ask_at_most() -> None:
    found = gate.judge([need("edit", "secret/b", "a.py", asks_at_most=True)], RULES)
    assert [each.decision.action for each in found.decisions] == ["ask", "allow"]


def test_mentioned_commands_are_asked_if_a_rule_names_them_by_two_words() -> None:
    own = need("bash", "python3", complete=False, mentions=["git push origin", "gh is a word"])
    assert [each.pattern for each in gate.judge([own], UNASKED).decisions] == ["python3", "git push origin"]


def test_a_mention_whose_name_is_a_glob_may_be_any_denied_command() -> None:
    denies = Layer("limits", (Rule("bash", "rm *", "deny"), Rule("bash", "r*z *", "deny")))
    own = need("bash", "/bin/r? f", complete=False, mentions=["r? f", "l? f"])
    found = gate.judge([own], UNASKED, [denies])
    assert [each.pattern for each in found.decisions if each.decision.action == "deny"] == ["rm f"]


def test_a_command_that_is_too_long_to_look_at_is_asked_even_where_incomplete_ones_run() -> None:
    assert gate.judge(incomplete("python3 -c x", too_long=True), CONTAINED).action == "ask"
    assert gate.judge(incomplete("rm -rf src", too_long=True), CONTAINED).action == "deny"


ASKS_BOTH = Layer("project", [Rule("bash", "python -m pytest *", "ask"), Rule("bash", "python3 -m pytest *", "ask")])


def test_what_a_person_allowed_for_good_is_allowed_under_the_other_names_of_the_program() -> None:
    asked = need("bash", "python3 -m pytest -q", spellings=["python -m pytest -q"])
    before = gate.judge([asked], [*RULES, ASKS_BOTH])
    assert (before.action, [each.pattern for each in before.decisions]) == ("ask", ["python3 -m pytest -q"])
    grant = Layer("grants", [Rule("bash", "python3 -m pytest *", "allow")])
    assert gate.judge([asked], [*RULES, ASKS_BOTH, grant]).action == "allow"


def test_what_a_person_allowed_as_a_module_of_python_is_allowed_as_the_program() -> None:
    asks = Layer("project", [Rule("bash", "pytest *", "ask"), Rule("bash", "python3 -m pytest *", "ask")])
    grant = Layer("grants", [Rule("bash", "python3 -m pytest *", "allow")])
    asked = need("bash", "python3 -m pytest -q", spellings=["pytest -q", "python -m pytest -q"])
    assert gate.judge([asked], [*RULES, asks]).action == "ask"
    assert gate.judge([asked], [*RULES, asks, grant]).action == "allow"
    other = need("bash", "python3 -m pytest -q", spellings=["pytest -x"])
    assert gate.judge([other], [*RULES, asks, grant]).action == "ask"


def test_a_grant_for_one_command_settles_no_other_one_and_no_deny() -> None:
    grant = Layer("grants", [Rule("bash", "python3 -m pytest *", "allow")])
    other = need("bash", "python3 -m pytest -q", spellings=["python -m pytest x"])
    assert gate.judge([other], [*RULES, ASKS_BOTH, grant]).action == "ask"
    denied = Layer("project", [Rule("bash", "python -m *", "deny")])
    same = need("bash", "python3 -m pytest -q", spellings=["python -m pytest -q"])
    assert gate.judge([same], [*RULES, denied, grant]).action == "deny"
