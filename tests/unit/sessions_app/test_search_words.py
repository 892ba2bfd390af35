"""Search: splitting texts into words and queries into terms, and the excerpt that is shown."""

import pytest

from sessions_app.search.query import for_postgres, for_sqlite, parse_query
from sessions_app.search.snippet import LENGTH, snippet
from sessions_app.search.words import MAX_SEARCHED_CHARACTERS, read_words, words_of

ODD = [
    "", " ", '"', "'", '""', "-", "--", "OR", "OR OR", "AND", "NOT", "NEAR(", "*", "a*", "(", ")", "(a", ":", "a:b",
    "%", "\\", "_", "\0", "a\0b", "\ud800", "🫖", "é" * 2000, "中文", "x" * 10_000, "a " * 5_000, '"' * 999,
    "{a}", "^a", "-a", "a+b", "'a' & | ! <->",
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Fix the Tests!", "fix the tests"),
        ("src/app.py:12", "src app py 12"),
        ("snake_case", "snake case"),
        ("Café", "cafe"),
        ("cafe\u0301 au lait", "cafe au lait"),
        ("中文a", "u04e2d u06587 a"),
        ("чай", "u004470043000438"),
    ],
)
def test_text_as_words(text: str, words: str) -> None:
    assert words_of(text) == words


def test_words_know_where_they_stand_in_the_text() -> None:
    text = "Ein Café, 中"
    assert [text[word.start : word.end] for word in read_words(text)] == ["Ein", "Café", "中"]


@pytest.mark.parametrize("text", ODD)
def test_words_are_small_letters_and_digits_whatever_the_text_is(text: str) -> None:
    assert all(word.isascii() and word.isalnum() and word == word.lower() for word in words_of(text).split())


@pytest.mark.parametrize(
    ("text", "postgres", "sqlite"),
    [
        ("tea cup", "(('tea':*)) & (('cup':*))", '("tea" *) AND ("cup" *)'),
        ('"green tea"', "(('green' <-> 'tea'))", '("green tea")'),
        ("tea OR coffee", "(('tea':*) | ('coffee':*))", '("tea" * OR "coffee" *)'),
        ("tea -milk", "(('tea':*)) & !('milk':*)", '(("tea" *)) NOT ("milk" *)'),
        ("a-b", "(('a' <-> 'b':*))", '("a b" *)'),
    ],
)
def test_a_question_in_the_language_of_each_database(text: str, postgres: str, sqlite: str) -> None:
    question = parse_query(text)
    assert (for_postgres(question), for_sqlite(question)) == (postgres, sqlite)


def test_only_what_is_unwanted_is_no_question() -> None:
    assert parse_query("-milk").wanted == ()


def test_what_is_found_is_marked_and_the_text_is_whole() -> None:
    pieces = snippet("Green tea, then more TEAS.", parse_query("tea"))
    assert [piece.text for piece in pieces if piece.hit] == ["tea", "TEAS"]
    assert "".join(piece.text for piece in pieces) == "Green tea, then more TEAS."


def test_markup_in_a_text_stays_text() -> None:
    pieces = snippet("<b>tea</b><script>", parse_query("tea"))
    assert [(piece.text, piece.hit) for piece in pieces] == [("<b>", False), ("tea", True), ("</b><script>", False)]


def test_a_long_text_is_cut_around_the_first_finding() -> None:
    shown = "".join(
        piece.text for piece in snippet("word " * 3000 + "saffron" + " more" * 3000, parse_query("saffron"))
    )
    assert "saffron" in shown
    assert len(shown) <= LENGTH + 2


@pytest.mark.parametrize("text", ODD)
def test_no_question_and_no_text_breaks_the_snippet(text: str) -> None:
    snippet(text, parse_query("a"))
    snippet("a tea", parse_query(text))


def test_a_text_without_end_is_searched_to_a_limit() -> None:
    assert len(words_of("a" * 10 * MAX_SEARCHED_CHARACTERS)) <= MAX_SEARCHED_CHARACTERS
