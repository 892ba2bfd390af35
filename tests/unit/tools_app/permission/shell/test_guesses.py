from typing import Final

import pytest

from tools_app.permission.shell.guesses import formatted, guessed
from tools_app.permission.shell.words import Environment, Value

ENVIRONMENT: Final = Environment(
    {
        "x": (Value("arm"),), "y": (Value("x"),), "both": (Value("push origin"),), "path": (Value("a/b/c.txt"),),
        "any": (), "two": (Value("rm"), Value("ls")),
    },
    ("/workspace",),
    "/home/agent",
)  # fmt: skip


@pytest.mark.parametrize(
    ("source", "guess"),
    [
        ("${x:1}", "rm"), ("${x: -2}", "rm"), ("${x:0:2}", "ar"), ("${x#a}", "rm"), ("${x%m}", "ar"),
        ("${x/a/}", "rm"), ("${x//[ar]/z}", "zzm"), ("${x^^}", "ARM"), ("${x^}", "Arm"), ("${!y}", "arm"),
        ("$both", "push origin"), ("${path##*/}", "c.txt"), ("${path#*/}", "b/c.txt"), ("${path%/*}", "a/b"),
        ("${path%%/*}", "a"), ("${any:-rm}", "rm"), ("${x:+rm}", "rm"), ('"${x#a}" f', "rm f"), ("$(echo r)m", "rm"),
        ("$(printf '%s%s' r m)", "rm"), ("`printf r`m", "rm"), ("$(printf '\\056')env", ".env"), ("$later", "rm"),
    ],
)  # fmt: skip
def test_a_word_is_guessed_from_what_is_known(source: str, guess: str) -> None:
    assert guessed(source, ENVIRONMENT, {"later": "rm"})[0] == guess


def test_each_value_of_a_variable_is_a_guess() -> None:
    assert list(guessed("$two f", ENVIRONMENT, {})) == ["rm f", "ls f"]


@pytest.mark.parametrize("source", ["plain", "'$'x'", "$any", f"$x{'y' * 600}"])
def test_nothing_is_guessed_where_nothing_is_known(source: str) -> None:
    assert not [each for each in guessed(source, ENVIRONMENT, {}) if "arm" in each]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["cu%s x", "rl"], "curl x"), (["%s%s", "r", "m"], "rm"), (["a\\tb\\n"], "a\tb\n"), (["100%%"], "100%"),
        (["%s\\n", "a", "b"], "a\n\nb"), ([], ""),
    ],
)  # fmt: skip
def test_printf_inserts_its_words(words: list[str], text: str) -> None:
    assert formatted(words) == text


@pytest.mark.parametrize(
    ("source", "guess"),
    [
        ("$(cat w.txt)", "push"), ("$(<w.txt)", "push"), ("$(command -v git) push", "git push"), ("`which git`", "git"),
        ("$(basename a/.env)", ".env"), ("${list[@]}", "git push"), ("${list[1]}", "push"), ("$1", "push"),
        ("$*", "a b"),
    ],
)  # fmt: skip
def test_what_the_text_keeps_is_guessed(source: str, guess: str) -> None:
    values = {"list": "git push", "list[0]": "git", "list[1]": "push", "1": "push", "*": "a b"}
    assert guessed(source, ENVIRONMENT, values, {"w.txt": "push\n"})[0] == guess
