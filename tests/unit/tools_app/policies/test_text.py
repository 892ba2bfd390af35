import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.policy_text import parse_text
from tools_app.policies.documents import Expectation, Loosenable, Options, PolicyDocument, RuleDocument
from tools_app.policies.text import as_text, changes_of, diff_of

PLAIN = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=20)
PATTERNS = st.builds("{}{}".format, PLAIN, st.sampled_from(["", " *", "\nx", "\tx\\n", " a  b"]))
RULES = st.lists(
    st.builds(RuleDocument, permission=PLAIN, pattern=PATTERNS, action=st.sampled_from(["allow", "ask", "deny"])),
    max_size=5,
)


def rule(action: str, pattern: str, permission: str = "bash") -> RuleDocument:
    return RuleDocument.model_validate({"permission": permission, "pattern": pattern, "action": action})


def document(*rules: RuleDocument, enforced: tuple[RuleDocument, ...] = ()) -> PolicyDocument:
    return PolicyDocument(rules=list(rules), enforced=list(enforced))


def test_a_document_reads_as_one_rule_a_line() -> None:
    text = as_text(
        PolicyDocument(
            preset="cautious",
            rules=[rule("allow", "git log *")],
            enforced=[rule("deny", "*.pem", "read")],
            options=Options(
                approvers="admin",
                incomplete_commands="ask",
                wait_hours=2,
                loosenable=[Loosenable(permission="bash", pattern="ls *")],
            ),
            expectations=[Expectation(expect="ask", command="rm -r .\nls", note="careful")],
        )
    )
    assert text.splitlines() == [
        "preset = cautious",
        "allow bash git log *",
        "! deny read *.pem",
        "approvers = admin",
        "incomplete_commands = ask",
        "wait_hours = 2",
        "loosenable = bash ls *",
        "# expect ask for build: command rm -r .\\nls  (careful)",
    ]


def test_an_empty_document_says_nothing() -> None:
    assert as_text(PolicyDocument()) == ""


def test_a_permission_named_like_an_equals_sign_is_a_rule() -> None:
    assert parse_text("allow = 0\n") == document(rule("allow", "0", "="))


@given(RULES, RULES, st.sampled_from(["", "cautious", "autonomous"]))
def test_rules_survive_the_way_through_their_text(
    rules: list[RuleDocument], enforced: list[RuleDocument], preset: str
) -> None:
    given_ = PolicyDocument.model_validate({"preset": preset, "rules": rules, "enforced": enforced})
    assert parse_text(as_text(given_)) == given_


def test_comments_and_empty_lines_are_no_rules() -> None:
    assert parse_text("# all of it\n\n  ask bash\n!deny read  a b \n") == document(
        rule("ask", "*"), enforced=(rule("deny", "a b", "read"),)
    )


@pytest.mark.parametrize("text", ["permit bash *", "allow", "bash allow *", "! ! deny bash *"])
def test_a_line_that_is_no_rule_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="line 2"):
        parse_text(f"allow bash ls\n{text}")


def test_a_diff_shows_the_changed_rule() -> None:
    diff = diff_of(document(rule("ask", "rm *")), document(rule("deny", "rm *")))
    assert "-ask bash rm *\n+deny bash rm *\n" in diff
    assert diff_of(document(), document()) == ""


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (document(), document(rule("ask", "a"), rule("ask", "b")), "2 rules added"),
        (document(rule("ask", "a")), document(), "1 rule removed"),
        (document(rule("ask", "a")), document(rule("deny", "a"), rule("deny", "b")), "2 rules added, 1 removed"),
        (document(rule("ask", "a")), document(enforced=(rule("ask", "a"),)), "1 rule added, 1 removed"),
        (
            document(rule("ask", "a"), rule("ask", "b")),
            document(rule("ask", "b"), rule("ask", "a")),
            "rules reordered",
        ),
        (document(), PolicyDocument(preset="cautious"), "preset cautious"),
        (PolicyDocument(preset="cautious"), document(), "preset inherited"),
        (document(), PolicyDocument(options=Options(wait_hours=1)), "options changed"),
        (document(), PolicyDocument(expectations=[Expectation(expect="ask", command="x")]), "expectations changed"),
        (document(), document(), "nothing changed"),
    ],
)
def test_changes_are_told_in_a_few_words(before: PolicyDocument, after: PolicyDocument, said: str) -> None:
    assert changes_of(before, after) == said
