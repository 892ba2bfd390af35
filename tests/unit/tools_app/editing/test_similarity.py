from hypothesis import given
from hypothesis import strategies as st

from tools_app.editing.similarity import edit_distance, similarity

TEXTS = st.text(alphabet="abc", max_size=10)


def naive_distance(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for index, left in enumerate(one, 1):
        above, row = row, [index]
        for place, right in enumerate(other, 1):
            row.append(min(above[place] + 1, row[-1] + 1, above[place - 1] + (left != right)))
    return row[-1]


@given(TEXTS, TEXTS)
def test_equals_the_textbook_table(one: str, other: str) -> None:
    assert edit_distance(one, other) == naive_distance(one, other)


@given(TEXTS, TEXTS)
def test_similarity_lies_between_none_and_all(one: str, other: str) -> None:
    assert 0.0 <= similarity(one, other) <= 1.0
    assert (similarity(one, other) == 1.0) == (one == other)
