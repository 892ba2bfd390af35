import pytest

from tools_app.editing import strategies
from tools_app.editing.strategies import STRATEGIES, Strategy

FUNCTION = "def f():\n    one = 1\n    two = 2\n    three = 3\n    four = 4\n    return one\n"


def found(strategy: Strategy, content: str, old: str) -> list[str]:
    return [content[span.start : span.end] for span in strategy(content, old)]


def test_there_are_nine_in_their_order() -> None:
    assert [name for name, _ in STRATEGIES] == [
        "exact",
        "line-trimmed",
        "block anchor",
        "whitespace-normalised",
        "indentation-flexible",
        "escape-normalised",
        "trimmed boundary",
        "context-aware",
        "all exact",
    ]


def test_exact_counts_places_that_overlap() -> None:
    assert len(found(strategies.exact, "aaa", "aa")) == 2


def test_line_trimmed_ignores_blanks_around_lines() -> None:
    assert found(strategies.line_trimmed, "a\n  b  \n\tc\nd\n", "b\nc") == ["  b  \n\tc"]
    assert found(strategies.line_trimmed, "a\n  b\nd\n", "b\n") == ["  b\n"]


def test_block_anchor_forgives_different_lines_in_the_middle() -> None:
    old = FUNCTION.replace("two = 2", "two = 22").replace("four = 4", "four = 5")
    assert found(strategies.block_anchor, f"x\n{FUNCTION}y\n", old) == [FUNCTION]


def test_block_anchor_refuses_a_middle_that_is_not_alike() -> None:
    old = "def f():\n    something else entirely\n    and nothing of it\n    is there\n    at all\n    return one\n"
    assert found(strategies.block_anchor, FUNCTION, old) == []


def test_block_anchor_refuses_a_size_beyond_a_quarter() -> None:
    lines = FUNCTION.splitlines(keepends=True)
    old = "".join([*lines[:2], *lines[-1:]])
    assert found(strategies.block_anchor, FUNCTION, old) == []


def test_block_anchor_allows_one_line_more() -> None:
    old = FUNCTION.replace("    four = 4\n", "    four = 4\n    five = 5\n")
    assert found(strategies.block_anchor, FUNCTION, old) == [FUNCTION]


def test_block_anchor_takes_the_most_similar_of_several() -> None:
    other = FUNCTION.replace("one = 1", "eins = 1").replace("two = 2", "zwei = 2")
    old = FUNCTION.replace("two = 2", "two = 3")
    assert found(strategies.block_anchor, other + FUNCTION, old) == [FUNCTION]


def test_block_anchor_gives_up_on_anchors_that_stand_everywhere() -> None:
    content = "{\n  some\n}\n" * 600
    assert found(strategies.block_anchor, content, "{\n  same\n}\n") == []


def test_whitespace_normalised_takes_runs_of_blanks_as_one() -> None:
    assert found(strategies.whitespace_normalised, "x\na  =\t1\ny\n", "a = 1") == ["a  =\t1"]
    assert found(strategies.whitespace_normalised, "if (a   b) c", "a b") == ["a   b"]
    assert found(strategies.whitespace_normalised, "a  b\nc\td\n", "a b\nc d") == ["a  b\nc\td"]


def test_whitespace_normalised_does_not_cut_words() -> None:
    assert found(strategies.whitespace_normalised, "xa  b", "a b") == []


def test_indentation_flexible_keeps_the_shape() -> None:
    content = "class A:\n    if x:\n        y\n"
    assert found(strategies.indentation_flexible, content, "if x:\n    y\n") == ["    if x:\n        y\n"]
    assert found(strategies.indentation_flexible, content, "if x:\ny\n") == []


def test_escape_normalised_reads_escapes() -> None:
    assert found(strategies.escape_normalised, 'a = "b"\nc', r"a = \"b\"\nc") == ['a = "b"\nc']


def test_trimmed_boundary_ignores_blanks_around_the_whole() -> None:
    assert found(strategies.trimmed_boundary, "call(a, b)", "\n call(a, b) \n") == ["call(a, b)"]
    assert found(strategies.trimmed_boundary, "recall(a)", " call(a)") == []


def test_context_aware_needs_half_of_the_middle() -> None:
    half = "start\nsame\nother\nend"
    content = "start\nsame\ndifferent\nend"
    assert found(strategies.context_aware, content, half) == [content]
    assert found(strategies.context_aware, content, "start\nnot\nother\nend") == []
    assert found(strategies.context_aware, content, "start\nsame\nend") == []


@pytest.mark.parametrize("strategy", [strategies.block_anchor, strategies.context_aware])
def test_anchors_need_three_lines(strategy: Strategy) -> None:
    assert found(strategy, "a\nb\n", "a\nb\n") == []


@pytest.mark.parametrize("strategy", [strategies.block_anchor, strategies.context_aware])
def test_empty_lines_anchor_nothing(strategy: Strategy) -> None:
    assert found(strategy, "\na\nb\nc\n\n", "\na\nb\nc\n\n") == []
