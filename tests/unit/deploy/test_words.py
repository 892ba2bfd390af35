"""The check of words in public texts."""

import ast

import pytest

from deploy.words import _docstrings, _error_texts, problems_of, starts_badly


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Your password was set anew", "anew"),
        ("ignore this letter or the letter to Ann", "letter to"),
        ("The patience of a call", "patience"),
        ("Whoever asks gets an answer", "Whoever"),
        ("Delete a comment. Who manages sessions may delete all.", ". Who manages"),
        ("The workspace is not there any more", "not there any more"),
    ],
)
def test_private_words_are_refused(text: str, word: str) -> None:
    assert [problem.partition(":")[0] for problem in problems_of(text)] == [f"'{word}'"]


def test_plain_sentences_and_letters_of_the_alphabet_pass() -> None:
    assert problems_of("Retention must be between 30 and 36,500 days. Use letters and digits.") == []
    assert problems_of("The page says who can see a session. `patience` is a column.") == []


def test_a_docstring_begins_with_a_verb_or_a_noun() -> None:
    assert starts_badly("Whoever computes for long.")
    assert starts_badly("Who does what.")
    assert starts_badly("What a sandbox may use.")
    assert starts_badly("How a server is started.")
    assert not starts_badly("Return what was found.")


def test_docstrings_are_found_with_their_place() -> None:
    tree = ast.parse('"""The module."""\ndef f():\n    """Return what was found."""\n')
    assert list(_docstrings(tree, "x.py")) == [("x.py:1 module", "The module."), ("x.py:2 f", "Return what was found.")]


def test_the_sentences_of_an_error_are_read_and_its_codes_are_not() -> None:
    tree = ast.parse('raise BadInput("This is no time.", code="bad_time", hint="Send another time anew.")')
    assert [text for _, text in _error_texts(tree, "x.py")] == ["This is no time.", "Send another time anew."]
