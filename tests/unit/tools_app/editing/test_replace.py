import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tools_app.builtin.edit import replace
from tools_app.editing.errors import (
    EditError,
    NothingToChange,
    ResultTooLarge,
    SpanTooLarge,
    TextAmbiguous,
    TextNotFound,
    TooMuchWork,
)
from tools_app.spec import ToolError

LINES = st.lists(st.sampled_from(["a", "  a", "b", "\tb ", "c d", "c  d", "", "}", "é€"]), max_size=12)
TEXTS = LINES.map("\n".join)
SMALL = st.text(alphabet="ab \n$&\\1", max_size=6)


@given(SMALL, SMALL.filter(bool), SMALL, SMALL)
def test_a_text_that_stands_once_is_replaced_literally(before: str, old: str, new: str, after: str) -> None:
    content = before + old + after
    assume(old != new)
    assume(sum(content.startswith(old, index) for index in range(len(content))) == 1)
    assert replace(content, old, new) == before + new + after


@given(TEXTS, TEXTS.filter(bool), st.booleans())
def test_nothing_outside_the_replaced_places_changes(content: str, old: str, replace_all: bool) -> None:
    """Only the replaced parts of the content change. MARK stands for each replacement; the text between the marks must
    occur in the old content in the same order."""
    try:
        changed = replace(content, old, "MARK", replace_all=replace_all)
    except EditError:
        return
    pieces = changed.split("MARK")
    assert len(pieces) == 2 or replace_all
    assert re.fullmatch(".+".join(map(re.escape, pieces)), content, re.DOTALL)


@given(TEXTS, TEXTS.filter(str.strip))
def test_one_place_is_replaced_only_when_it_says_the_same_but_for_blanks(content: str, old: str) -> None:
    try:
        changed = replace(content, old, "MARK")
    except EditError:
        return
    before, after = changed.split("MARK")
    replaced = content[len(before) : len(content) - len(after)]
    if len(old.split("\n")) < 3:
        assert replaced.split() == old.split()


@given(TEXTS, st.sampled_from(["\n", "\r\n"]), TEXTS.filter(bool), TEXTS)
def test_the_files_line_ending_is_kept(content: str, line_break: str, old: str, new: str) -> None:
    written = content.replace("\n", line_break)
    assume(line_break in written)
    try:
        changed = replace(written, old, new)
    except EditError:
        return
    assert changed.replace("\r\n", "\n") == replace(content, old, new)
    assert "\n" not in changed.replace(line_break, "")


def test_a_file_of_mixed_endings_keeps_each_where_it_is() -> None:
    assert replace("a\r\nb\nc\n", "b", "x\ny") == "a\r\nx\ny\nc\n"
    assert replace("a\r\nb\nc\n", "a", "x\ny") == "x\r\ny\r\nb\nc\n"


def test_a_place_that_begins_at_a_crlf_takes_it_whole() -> None:
    assert replace("a\r\nb\nc", "\nb\nc", "\nz") == "a\r\nz"


def test_a_file_without_a_final_break_gets_none() -> None:
    assert replace("a\n  b", "\tb\n", "c\n") == "a\nc"
    assert replace("a\r\n  b", "\tb\n", "c\nd\n") == "a\r\nc\r\nd"


def test_line_breaks_around_the_old_text_that_the_place_has_not_come_with_no_new_text() -> None:
    assert replace("f(a, b)", "\n f(a, b)\n", "\ng(a)\n") == "g(a)"


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    assert replace("\ufeffdef f():\n  x\n", "  def f():\n    x", "y") == "\ufeffy\n"
    assert replace("\ufeff  a\nb", "\ufeff\ta\nb", "\ufeffc") == "\ufeffc"
    assert replace("a\nb", "\ufeffa", "\ufeffc") == "c\nb"


def test_replacement_is_literal() -> None:
    assert replace("a b", "b", r"$& \1 $1 \g<0>") == r"a $& \1 $1 \g<0>"


def test_several_places_are_refused_and_counted() -> None:
    with pytest.raises(TextAmbiguous, match=r"2 places \(lines 1, 3\)"):
        replace("x = 1\ny\nx = 1\n", "x = 1", "x = 2")


def test_several_places_that_fit_loosely_are_refused_too() -> None:
    with pytest.raises(TextAmbiguous):
        replace("  foo()\n    foo()\n", "\tfoo()", "bar()")


def test_replace_all_takes_them_all() -> None:
    assert replace("aXaXa", "a", "b", replace_all=True) == "bXbXb"
    assert replace("aaaa", "aa", "b", replace_all=True) == "bb"


def test_replace_all_stays_within_whole_lines_where_it_matched_whole_lines() -> None:
    assert replace("\tfoo\nfood\n", " foo ", "bar", replace_all=True) == "bar\nfood\n"


@pytest.mark.parametrize("old", ["x", ""])
def test_the_same_text_twice_is_nothing_to_do(old: str) -> None:
    with pytest.raises(NothingToChange):
        replace("x", old, old)


def test_an_empty_old_text_only_fills_what_is_empty() -> None:
    assert replace("", "", "new") == "new"
    with pytest.raises(EditError):
        replace("there", "", "new")


def test_blanks_alone_are_not_looked_for_loosely() -> None:
    with pytest.raises(TextNotFound):
        replace("a\n\nb\n", "\t", "x")


def test_a_place_that_is_far_larger_is_refused() -> None:
    words = "a " + " " * 600 + "b\n"
    with pytest.raises(SpanTooLarge):
        replace(words + words.replace("a", "c"), "a b\nc b", "x")


def test_what_is_not_found_names_the_closest_place() -> None:
    content = "import os\n\ndef total(items):\n    return sum(items)\n"
    with pytest.raises(TextNotFound) as caught:
        replace(content, "def totals(things):\n    return sum(things, 0)", "x")
    assert "4:     return sum(items)" in caught.value.message
    assert "Read the file again" in caught.value.message
    assert isinstance(caught.value, ToolError)


def test_the_closest_of_many_alike_lines_is_the_one_that_shares_the_most_words() -> None:
    content = "".join(f"line number {index} = {index * 7}\n" for index in range(5000))
    with pytest.raises(TextNotFound, match=r"\n4001: line number 4000 = 28000\n"):
        replace(content, "line number 4000 = 5", "x")


def test_nothing_alike_is_said_plainly() -> None:
    with pytest.raises(TextNotFound, match="has 1 line and nothing like it"):
        replace("alpha", "omega", "x")


def test_old_lines_with_a_final_break_take_the_break_with_them() -> None:
    assert replace("a\n  b\nc\n", "\tb\n", "x\n") == "a\nx\nc\n"


@pytest.mark.parametrize(
    ("content", "old"),
    [
        pytest.param("a\n" * 90_000, "a\n" * 1000 + "b\n", id="the same line over and over"),
        pytest.param("a\nb\n" * 50_000, "a\n" + "c\n" * 2000 + "a\n", id="anchors everywhere"),
        pytest.param("a " * 500_000, "a " * 300_000 + "b", id="one line of the same word"),
        pytest.param("a" * 5_000_000, "a" * 2_000_000, id="places that overlap"),
        pytest.param(
            "A\n" + ("x" * 1900 + "\n") * 2000 + "B\n", "A\n" + ("y" * 1900 + "\n") * 2000 + "B\n", id="long lines"
        ),
    ],
)
def test_a_search_that_would_take_minutes_is_given_up_with_words(content: str, old: str) -> None:
    with pytest.raises(TooMuchWork, match="Give a shorter oldString"):
        replace(content, old, "new")


@pytest.mark.parametrize("content", ["  a\n" * 100_001, "  a " + "x" * 5_000_000], ids=["many lines", "a long line"])
def test_in_a_huge_file_only_the_text_as_it_stands_is_found(content: str) -> None:
    with pytest.raises(TextNotFound, match="too large to look for anything like it"):
        replace(content, "\ta\n  b", "x")
    assert replace(content + "end", "end", "done") == content + "done"


def test_a_file_that_would_grow_without_bound_is_refused() -> None:
    with pytest.raises(ResultTooLarge, match="With 100,000 places replaced the file would have more than 32 MiB"):
        replace("a" * 100_000, "a", "b" * 100_000, replace_all=True)
