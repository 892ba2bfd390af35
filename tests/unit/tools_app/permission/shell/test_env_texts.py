"""`env -S` splits its text by rules of its own. The expected words are those that env prints."""

import pytest

from tools_app.permission.shell.env_texts import SPLITS, split_as_env


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (r"git\_push", ["git", "push"]),
        (r'a\_b "x\_y" \c z', ["a", "b", "x y"]),
        (r"ab\c d", ["ab"]),
        (r'"a\tb" \t c', ["a\tb", "\t", "c"]),
        (r"'a\_b' 'a\\b' 'q\'r'", [r"a\_b", r"a\b", "q'r"]),
        (r"\$ \# \" x", ["$", "#", '"', "x"]),
        ("${X}a \"${X}\" '${X}'", ["va", "v", "${X}"]),
        ("a #b", ["a"]),
        ("a#b", ["a#b"]),
        ('a "" b', ["a", "", "b"]),
    ],
)
def test_a_text_is_split_as_env_does(text: str, words: list[str]) -> None:
    assert split_as_env(text, lambda _: "v") == words


@pytest.mark.parametrize("option", ["-S", "-vS", "-i0S", "--split-string", "--split", "--s"])
def test_the_option_is_seen_in_front_of_its_text(option: str) -> None:
    found = SPLITS.fullmatch(option)
    assert found
    assert not found["joined"]
    assert not found["value"]


@pytest.mark.parametrize("word", ["-Sgit", "--split-string=git"])
def test_the_option_is_seen_with_its_text(word: str) -> None:
    found = SPLITS.fullmatch(word)
    assert found
    assert (found["joined"] or found["value"]) == "git"
