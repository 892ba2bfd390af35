import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_app.editing.errors import EditError, ResultTooLarge, TextAmbiguous, TextNotFound, TooMuchWork
from tools_app.editing.replace import replace
from tools_app.editing.replace_many import Replacement, replace_several

TEXTS = st.lists(st.sampled_from(["a", "  a", "b", "", "c d"]), max_size=6).map("\n".join)
REPLACEMENTS = st.lists(st.builds(Replacement, TEXTS, TEXTS, st.booleans()), min_size=1, max_size=4)


def test_each_works_on_what_the_one_before_it_left() -> None:
    assert replace_several("one\n", [Replacement("one", "two"), Replacement("two", "three")]) == "three\n"


def test_the_first_may_fill_what_is_empty() -> None:
    assert replace_several("", [Replacement("", "a\n"), Replacement("a", "b")]) == "b\n"


def test_what_the_first_edit_took_away_the_second_does_not_find() -> None:
    with pytest.raises(TextNotFound, match=r"(?s)^Edit 2 of 2, after those before it: .*None of the edits was made\.$"):
        replace_several("abc\n", [Replacement("abc", "x"), Replacement("bc", "y")])


def test_a_single_edit_is_not_numbered() -> None:
    with pytest.raises(TextAmbiguous, match=r"^oldString fits 2 places"):
        replace_several("a a", [Replacement("a", "b")])


@given(TEXTS, REPLACEMENTS)
def test_several_are_one_after_the_other_or_none(content: str, replacements: list[Replacement]) -> None:
    expected = content
    try:
        for each in replacements:
            expected = replace(expected, each.old, each.new, replace_all=each.replace_all)
    except EditError as error:
        with pytest.raises(type(error)):
            replace_several(content, replacements)
    else:
        assert replace_several(content, replacements) == expected


def test_edits_that_double_the_file_again_and_again_end_soon() -> None:
    with pytest.raises((ResultTooLarge, TooMuchWork)):
        replace_several("a" * 1000, [Replacement("a", "aa", replace_all=True)] * 100)


def test_many_edits_of_a_large_file_are_refused_with_words() -> None:
    content = "".join(f"line {number}\n" for number in range(300_000))
    with pytest.raises(TooMuchWork, match="Make fewer of them at once"):
        replace_several(content, [Replacement(f"line {number}\n", "x\n") for number in range(200_000, 200_100)])
