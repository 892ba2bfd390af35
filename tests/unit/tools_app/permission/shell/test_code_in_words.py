"""Code in arguments or in the input of interactive consoles makes the analysis incomplete, and is searched for
commands."""

from typing import Final

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.path_like import gives_code, has_calls
from tools_app.permission.shell.possible_commands import possible_commands
from tools_app.permission.shell.words import Field

CONSOLE_CODE: Final = [("-e", "f()"), ("--eval=f()",), ("-c", ".shell x"), ("-e", "system x"), ("-c", "!x")]


def _fields(*words: str) -> list[Field]:
    return [Field(each) for each in words]


@pytest.mark.parametrize("words", CONSOLE_CODE)
def test_an_option_gives_code(words: tuple[str, ...]) -> None:
    assert gives_code(_fields(*words))


@pytest.mark.parametrize("words", [("-e", "py311"), ("--exclude=f()",), ("-c", "config.toml"), ("f()",), ()])
def test_other_words_are_no_code(words: tuple[str, ...]) -> None:
    assert not gives_code(_fields(*words))


@pytest.mark.parametrize(
    ("text", "expected"), [("f(1)", True), ("!x", True), ("a\n.shell x", True), ("a b\n1,2", False)]
)
def test_an_input_may_call_something(text: str, expected: bool) -> None:
    assert has_calls(text) is expected


@pytest.mark.parametrize(
    "command",
    [
        "python manage.py shell",
        "python3 manage.py frob --execute='f()'",
        "php artisan tinker",
        "flask shell",
        "frob <<< 'f()'",
        "echo 'f()' | frob",
        "duckdb db",
    ],
)
def test_a_console_is_incomplete(command: str) -> None:
    assert not analyzed(command).complete


@pytest.mark.parametrize("command", ["python manage.py migrate", "frob <<< 'some words'", "frob -c config.toml"])
def test_other_commands_of_the_same_programs_are_complete(command: str) -> None:
    assert analyzed(command).complete


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (("-c", ".shell git push"), "git push"),
        (("run", "--entrypoint", "git", "image", "push"), "git push"),
        (("run", "--entrypoint=git", "image", "push"), "git push"),
    ],
)
def test_words_contain_a_command(words: tuple[str, ...], command: str) -> None:
    assert command in {" ".join(each.text for each in found) for found in possible_commands(_fields(*words))}


def test_a_text_that_an_unknown_program_gets_is_searched_for_files() -> None:
    assert "tee .git/hooks/x" in analyzed("frob 'tee .git/hooks/x'").codes
