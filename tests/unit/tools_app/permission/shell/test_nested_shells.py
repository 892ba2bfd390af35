import pytest

from tests.unit.tools_app.permission.shell.support import analyzed


@pytest.mark.parametrize(
    "command",
    ["bash -c 'ls src'", "bash -euxc ls", "bash -e -u -o pipefail -c ls", "bash -euo pipefail -c ls", "bash -c - ls",
     "bash --norc -c ls", "bash -n run.sh", "sh -c 'ls src | head -3 && cat a'", "dash -c 'x=$HOME; ls \"$x\"'"],
)  # fmt: skip
def test_a_text_is_analysed_if_no_option_changes_its_meaning(command: str) -> None:
    assert analyzed(command).reasons == ()
    assert analyzed(command).paths or "ls" in analyzed(command).patterns


@pytest.mark.parametrize(
    "option", ["-k", "-O extglob", "+O sourcepath", "-o posix", "-o keyword", "--posix", "-i", "-l", "-a", "-t", "+B",
               "-O lastpipe", "--rcfile x", "--unknown", "-o", "$x"],
)  # fmt: skip
def test_other_options_make_the_analysis_incomplete(option: str) -> None:
    assert not analyzed(f"bash {option} -c ls").complete


@pytest.mark.parametrize(
    "text",
    ["echo {a,b}", "[[ a ]]", "echo $'a'", "ls &> x", "cat <<< x", "function f { ls; }", "export A=$x", "x+=1", "a=(b)",
     "source x", "diff <(ls) x", "echo ${x/a/b}", "ls |& cat", "cat [^a]*", "echo $((1))"],
)  # fmt: skip
def test_a_text_that_other_shells_may_read_differently_is_incomplete(text: str) -> None:
    assert not analyzed(f"sh -c '{text}'".replace("$'a'", "$\"'a'\"")).complete


def test_the_commands_behind_a_lone_dash_are_listed() -> None:
    assert "rm x" in analyzed("bash -c - 'rm x'").patterns
    assert "rm x" in analyzed("bash -c -e -- 'rm x'").patterns
