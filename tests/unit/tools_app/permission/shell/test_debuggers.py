"""Debuggers start a program with arguments that stand elsewhere, and compilers run commands that are lists."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.debuggers import commands_in_debugger
from tools_app.permission.shell.possible_commands import commands_in_lists
from tools_app.permission.shell.words import Field


@pytest.mark.parametrize(
    "words",
    [
        ["-batch", "-ex", "run push", "git"],
        ["-ex", "r push", "git"],
        ["-ex", "file git", "-ex", "set args push"],
        ["-ex=start push", "git"],
        ["-o", "process launch -- push", "git"],
        ["-o", "settings set target.run-args push", "git"],
    ],
)
def test_a_debugger_starts_a_program_with_arguments(words: list[str]) -> None:
    assert Field("git push") in commands_in_debugger(list(map(Field, words)))


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        ("gdb git <<< 'run push'", "git push"),
        ("printf 'file git\\nr push\\n' | gdb", "git push"),
        ("gdb-14 git <<< 'start push'", "git push"),
        ("echo 'run push' > a; gdb -batch --command=a git", "git push"),
        ("lldb git <<< 'process launch -s -- push'", "git push"),
    ],
)
def test_a_debugger_reads_commands_from_its_input_and_files(command: str, meant: str) -> None:
    found = analyzed(command)
    assert meant in found.mentions


def test_other_commands_of_a_debugger_start_nothing() -> None:
    assert not commands_in_debugger(list(map(Field, ["-ex", "print rate", "-ex", "run", "./a.out"])))


@pytest.mark.parametrize(
    "words",
    [
        ["-wrapper", "git,push", "-c", "a.c"],
        ["-DCMAKE_C_COMPILER_LAUNCHER=git;push"],
        ["-D", "CMAKE_CROSSCOMPILING_EMULATOR:STRING=git;push"],
    ],
)
def test_a_list_in_an_option_is_a_command(words: list[str]) -> None:
    assert commands_in_lists(list(map(Field, words))) == [[Field("git"), Field("push")]]


def test_two_dashes_may_separate_a_program_and_its_arguments() -> None:
    assert "git push" in analyzed("dlv exec git -- push").spellings


@pytest.mark.parametrize(
    "command",
    [
        "pytest --trace < words.txt", "pytest --tra tests <<< x", "pytest --usepdb", "python -m pytest --pdb",
        "tox -e py -- --trace", "nox -- --pdb", "coverage run -m pytest --trace", "python manage.py test --pdb",
        "mypy --pdb notes.py", "poetry run pytest --trace",
    ],
)  # fmt: skip
def test_a_test_runner_that_starts_a_debugger_is_not_analysed_completely(command: str) -> None:
    assert not analyzed(command).complete


@pytest.mark.parametrize(
    "command",
    [
        "pytest --tb short -q", "pytest --trace-config", "pytest --showlocals", "mypy notes.py", "tox -e py",
        "make --trace test", "rake --trace test", "python manage.py test --parallel", "coverage run -m pytest -q",
    ],
)  # fmt: skip
def test_other_options_of_test_runners_start_no_debugger(command: str) -> None:
    assert not [each for each in analyzed(command).reasons if "debugger" in str(each)]
