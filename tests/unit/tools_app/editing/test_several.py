import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_app.editing.errors import EditError, TextAmbiguous, TextNotFound
from tools_app.editing.replace import replace
from tools_app.editing.several import Replacement, replace_several

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
