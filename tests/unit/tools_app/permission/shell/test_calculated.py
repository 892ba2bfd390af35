"""Arithmetic of bash; the expected values are those that bash prints."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_app.permission.shell.rehearsal.arithmetic import calculated
from tools_app.permission.shell.rehearsal.comparisons import compared
from tools_app.permission.shell.rehearsal.scene import Scene, Stage

SIGNS = (
    "1", "2", "0x1", "08", "2#1", "n", "a[0]", "+", "-", "*", "/", "%", "**", "<<", ">>", "<", ">", "==", "!=", "&",
    "^", "|", "&&", "||", "?", ":", ",", "(", ")", "[", "]", "=", "+=", "++", "--", "!", "~", "$n", "${n}", "'", "#",
)  # fmt: skip


def scene() -> Scene:
    return Scene(Stage(), "/workspace", {"n": "3", "s": "abcd", "b": "n+1", "loop": "loop"})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1+2*3", 7), ("-2**2", 4), ("2**3**2", 512), ("7/-2", -3),
        ("++1", 1), ("--1", 1), ("-7%3", -1), ("n++ + ++n", 8), ("n=5,n+=2", 7),
        ("1?2:3", 2), ("0x1f", 31), ("010", 8), ("2#101", 5), ("36#z", 35), ("(1+2)*3", 9), ("~5", -6), ("!0", 1),
        ("1<<3>>1", 4), ("5&3|8^1", 9), ("a[1]=4", 4), ("3>2>1", 0), ("1,2,3", 3), ("$n+1", 4), ("${n}-1", 2),
        ("${#s}", 4), ("n*=3", 9), ("0?1/0:7", 7), ("b", 4), ("1 == 1 && 2 != 3", 1), ("n--", 3), ("-n", -3),
        ("", 0), ("unset", 0), ("1<=1", 1), ("2>=3", 0), ("0||0", 0), ("2**-1", 0), ("9223372036854775807+1", -(2**63)),
    ],
)  # fmt: skip
def test_calculations_are_those_of_bash(text: str, value: int) -> None:
    assert calculated(text, scene()) == value


@pytest.mark.parametrize(("text", "left"), [("0&&n++", "3"), ("1||n++", "3"), ("1&&n++", "4"), ("0?n++:n--", "2")])
def test_what_bash_does_not_evaluate_sets_nothing(text: str, left: str) -> None:
    variables = scene()
    calculated(text, variables)
    assert variables.values["n"] == left


@pytest.mark.parametrize("text", ["1+", "x y", "1/0", "1%0", "(1", "1)", "a[1", "1?2", "`", "1" * 400, "08"])
def test_what_bash_refuses_has_no_value(text: str) -> None:
    assert calculated(text, scene()) is None


def test_a_variable_that_means_itself_comes_to_an_end() -> None:
    assert calculated("loop+1", scene()) == 1


@given(st.lists(st.sampled_from(SIGNS), max_size=12).map("".join))
def test_any_expression_has_a_value_or_none(text: str) -> None:
    value = calculated(text, scene())
    assert value is None or -(2**63) <= value < 2**63


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("[ 1 -lt 2 ]", True), ("[ 2 -lt 1 ]", False), ("test 1 -eq 1", True), ("[[ 1+1 -ne 2 ]]", False),
        ("[ 1 -le 1 ]", True), ("[ 1 -gt 1 ]", False), ("[ 1 -ge 1 ]", True), ("[ a = a ]", True),
        ("[[ a == b ]]", False), ("[ a != b ]", True), ("[[ a < b ]]", True), ("[[ a > b ]]", False), ("true", True),
        (":", True), ("false", False), ("[ -f a ]", None), ("[ x y ]", None), ("[ 1 -lt ]", None), ("grep a b", None),
        ("[ 1 -lt 1+ ]", None),
    ],
)  # fmt: skip
def test_comparisons_of_known_words(text: str, holds: bool | None) -> None:
    assert compared(text, scene()) is holds
