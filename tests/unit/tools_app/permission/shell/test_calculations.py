import pytest

from tools_app.permission.shell.calculations import is_plain


@pytest.mark.parametrize(
    "expression",
    [
        "1",
        " 1 + 2 ",
        "(1+x)*3",
        "x - 1",
        "10/2",
        "x % 3",
        "\0 + 1",
        "a <= b && c != 0",
        "((1))",
        "0",
        "x == 1 || y > 2",
    ],
)
def test_numbers_names_and_operators_that_cannot_fail_are_plain(expression: str) -> None:
    assert is_plain(expression)


@pytest.mark.parametrize(
    "expression",
    ["", "1 +", "1 2", "1/0", "1/x", "1%y", "08", "2**3", "x=1", "x+=1", "x++", "--x", "a[1]", "16#ff", "0x10", "1?2:3",
     "(1", "1)", "1,2", "1<<2", "x<<=1", "~1", "!x", "99999999999999999999", "1.5", "() 1", "1 ()"],
)  # fmt: skip
def test_what_sets_a_variable_or_may_fail_is_not_plain(expression: str) -> None:
    assert not is_plain(expression)
