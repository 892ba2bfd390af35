"""Globs that only other shells read count as plain globs for the files that they may match."""

import time

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.other_globs import MAX_GLOBS, globs_of_others


@pytest.mark.parametrize(
    ("text", "glob"),
    [
        ("cat *v(D)", ".*v"),
        ("cat **/*(D.)", "**/.*"),
        ("cat ^x(D)", ".*"),
        ("cat ^src/token", "*/token"),
        ("cat <->(D)", ".*"),
        ("cat in<->ternal/a", "in*ternal/a"),
        ("cat *~x(D)", ".*"),
        ("cat .(env)", ".env"),
        ("cat .e(n)v", ".env"),
        ("cat (|.)env", ".*env"),
        ("cat (int|x)ernal/a", "*ernal/a"),
        ("cat +(int)ernal/a", "internal/a"),
        ("cat (#i).ENV", ".???"),
        ("cat [.]env", ".env"),
        ("cat {.}env", ".env"),
        ("cat <*v(D)", ".*v"),
        ("a=(*(D))", ".*"),
        ("cat **token", "*/*token"),
        ("setopt globdots; cat *", ".*"),
        ("cat *[match-hidden]", ".*"),
        ("shopt -s nocaseglob; cat .EN[V]", ".???"),
        ("unsetopt caseglob; cat CONFIG/A*", "??????/?*"),
    ],
)
def test_a_glob_of_another_shell_is_written_plainly(text: str, glob: str) -> None:
    assert glob in globs_of_others(text)


@pytest.mark.parametrize(
    "text", ["cat *.py", "cat src/*", "git log", "cat a?", "shopt -s nullglob; cat A*", "x=1", "echo $x", ""]
)
def test_globs_that_bash_reads_are_left_out(text: str) -> None:
    assert globs_of_others(text) == []


def test_the_number_of_globs_and_the_time_are_limited() -> None:
    start = time.perf_counter()
    assert len(globs_of_others(" ".join(f"*{number}(D)" for number in range(99)))) == MAX_GLOBS
    for piece in ("(", "<", "a=(", "*(", "[match-", "{a", "~x", "^", "**"):
        globs_of_others(piece * 5_000)
        globs_of_others(f"{piece * 50} " * 100)
    assert time.perf_counter() - start < 2


@pytest.mark.parametrize("command", ["zsh -c 'cat *v(D)'", "env zsh -fc 'cat *v(D)'", "echo 'cat *v(D)' | zsh"])
def test_texts_for_other_shells_are_searched(command: str) -> None:
    assert "'.*v'" in analyzed(command).codes


def test_texts_for_bash_are_not() -> None:
    assert "'.*v'" not in analyzed("python3 -c 'cat *v(D)'").codes
