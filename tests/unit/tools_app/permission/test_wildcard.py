import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_app.permission.wildcard import is_literal, match

TEXTS = st.text(alphabet="ab */\n?", max_size=12)
PATTERNS = st.text(alphabet="ab *?/\n", max_size=8)


def naive_match(text: str, pattern: str) -> bool:
    """Return whether `pattern` matches all of `text`, computed as plainly as possible from the definition of
    patterns."""

    def fits(text: str, pattern: str) -> bool:
        if not pattern:
            return not text
        if pattern[0] == "*":
            return any(fits(text[index:], pattern[1:]) for index in range(len(text) + 1))
        return bool(text) and pattern[0] in ("?", text[0]) and fits(text[1:], pattern[1:])

    return fits(text, pattern) or (pattern.endswith(" *") and fits(text, pattern[:-2]))


@given(TEXTS, PATTERNS)
def test_equals_a_naive_reference(text: str, pattern: str) -> None:
    assert match(text, pattern) == naive_match(text, pattern)


@given(st.text(max_size=30))
def test_a_literal_pattern_matches_itself_and_nothing_longer(text: str) -> None:
    pattern = text.replace("*", "x").replace("?", "y")
    assert is_literal(pattern)
    assert match(pattern, pattern)
    assert not match(pattern + "z", pattern)


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [
        ("git status", "git status *", True),
        ("git status -s", "git status *", True),
        ("git statuses", "git status *", False),
        ("a/b/c.env", "*.env", True),
        ("first\nsecond", "first*second", True),
        ("Readme", "readme", False),
        ("a", "?", True),
        ("", "?", False),
        ("", "*", True),
        ("a.b", "a[.]b", False),
        ("[ab]", "[ab]", True),
        ("aXbYc", "*X?Y*", True),
        ("aaa", "aa*aa", False),
    ],
)
def test_examples(text: str, pattern: str, *, expected: bool) -> None:
    assert match(text, pattern) is expected


def test_many_stars_over_a_long_text_are_no_more_work_than_a_few() -> None:
    text = "a" * 50_000
    assert not match(text, "*a" * 200 + "*b*")
    assert not match(text, "*" + "a?" * 50 + "b*")


def test_the_reference_agrees_with_regular_expressions_where_both_can_say_it() -> None:
    assert naive_match("xaYb", "x*?b") == bool(re.fullmatch("x.*.b", "xaYb", re.DOTALL))


def test_stars_side_by_side_cost_little_more_than_to_read_them() -> None:
    pattern = "*" * 30_000 + "ls"
    started = time.thread_time()
    for number in range(2000):
        assert match(f"{number} ls", pattern)
    assert time.thread_time() - started < 3
