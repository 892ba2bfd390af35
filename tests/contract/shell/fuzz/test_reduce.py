"""Shortening of shell texts that fail a check of the fuzz test."""

from collections.abc import Sequence

from tests.contract.shell.fuzz.reduce import reduced


def with_both(texts: Sequence[str]) -> list[str]:
    return [text for text in texts if "trap" in text and "$x" in text]


def test_all_that_is_not_needed_goes() -> None:
    assert reduced('echo a; cat b | sort; trap "$x" EXIT; ls -l src', with_both) == "trap$x"


def test_what_cannot_be_shortened_stays() -> None:
    assert reduced("trap $x", lambda texts: [text for text in texts if text == "trap $x"]) == "trap $x"


def test_a_text_that_fails_by_itself_alone_is_left_whole() -> None:
    assert reduced("ls -l", lambda _: []) == "ls -l"
