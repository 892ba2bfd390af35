"""The check of words in public texts."""

import ast

import pytest

from deploy.words import _bad_docstrings, _error_texts, problems_of


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Your password was set anew", "anew"),
        ("ignore this letter or the letter to Ann", "letter to"),
        ("The patience of a call", "patience"),
        ("Whoever asks gets an answer", "Whoever"),
    ],
)
def test_private_words_are_refused(text: str, word: str) -> None:
    assert [problem.partition(":")[0] for problem in problems_of(text)] == [f"'{word}'"]


def test_plain_sentences_and_letters_of_the_alphabet_pass() -> None:
    assert problems_of("Retention must be between 30 and 36,500 days. Use letters and digits.") == []


def test_a_docstring_begins_with_a_verb_or_a_noun() -> None:
    tree = ast.parse('def f():\n    """Who does what."""\ndef g():\n    """Return what was found."""\n')
    tree.body[0].body[0].value.value = "Whoever computes for long."  # type: ignore[attr-defined]
    assert [line.partition(" ")[0] for line in _bad_docstrings(tree, "x.py")] == ["x.py:1"]


def test_the_sentences_of_an_error_are_read_and_its_codes_are_not() -> None:
    tree = ast.parse('raise BadInput("This is no time.", code="bad_time", hint="Send another time anew.")')
    assert [text for _, text in _error_texts(tree, "x.py")] == ["This is no time.", "Send another time anew."]
