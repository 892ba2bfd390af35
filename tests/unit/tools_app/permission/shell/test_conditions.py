import pytest

from tests.unit.tools_app.permission.shell.support import analyzed, touched


@pytest.mark.parametrize(
    "condition",
    ["-f a", "! -d a && -n $x", "( $x == b* || -z $y ) && a != b", "$x =~ ^a.b$", "a < b", "a -nt b", "$? -eq 0",
     "$# -gt 1", "-v x", "a", '"$x"', "a &&\n b", "1 -lt 20"],
)  # fmt: skip
def test_comparisons_of_texts_files_and_numbers_are_complete(condition: str) -> None:
    assert analyzed(f"[[ {condition} ]] && ls").reasons == ()


@pytest.mark.parametrize(
    "condition",
    ["-v $x", "-v 'a[1]'", "-R x", "$x -eq 1", "x -eq 1", "08 -eq 1", "a$? -eq 1", "-t x", "-o x", "a -foo b", "a b",
     "", "-f", "( a", "a )", "1\n-lt 2", "a =~ (b|c)", "a == @(b|c)"],
)  # fmt: skip
def test_everything_else_is_incomplete(condition: str) -> None:
    assert not analyzed(f"[[ {condition} ]] && ls").complete


def test_tested_files_and_commands_in_a_condition_are_listed() -> None:
    assert touched("[[ -f a && b -nt c ]]", "read") == {"/workspace/a", "/workspace/b", "/workspace/c"}
    assert "rm x" in analyzed("[[ a = <(rm x) ]]").patterns


@pytest.mark.parametrize("behind", ["[[ a ]]", "! ls", "{ ls; }", "(ls)", "x=1 ls", "x+=1 ls", "export x=1", "-- ls"])
def test_only_the_name_of_a_command_is_read_behind_time(behind: str) -> None:
    assert not analyzed(f"time {behind}").complete
    assert analyzed("time -p ls src").complete
