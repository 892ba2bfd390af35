import json

import pytest

from tools_app.mcp.results import MAX_RESULTS, read_results

ONE = {"title": "One", "url": "https://one.example.org/", "text": "first\nsecond"}
READ = {"title": "One", "url": "https://one.example.org/", "text": "first second"}


@pytest.mark.parametrize("listed", [{"results": [ONE]}, [ONE]])
def test_a_list_is_read_from_structured_content_and_from_json_text(listed: object) -> None:
    assert read_results("whatever", listed) == [READ]
    assert read_results(json.dumps(listed)) == [READ]


def test_written_results_begin_with_their_title() -> None:
    text = "Intro\n\nTitle: A\nAuthor: x\nURL: https://a.example/\nText: words\n\nTitle: no address\nText: b"
    assert read_results(text) == [{"title": "A", "url": "https://a.example/", "text": "words"}]


@pytest.mark.parametrize("text", ["", "just words", "{broken", "[1, 2]", '{"results": 3}', "[" * 100_000])
def test_what_has_no_known_form_has_no_list(text: str) -> None:
    assert read_results(text) == []


def test_a_list_without_end_is_cut() -> None:
    assert len(read_results("", [ONE] * 1000)) == MAX_RESULTS
