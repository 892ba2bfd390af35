"""Forms of MCP servers: their questions, prefilled values and valid answers."""

from typing import Any

import pytest

from tools_app.mcp.forms import (
    MAX_FIELDS,
    BadAnswer,
    BadForm,
    Form,
    defaults_of,
    read_answers,
    read_form,
    read_link,
)


def form_of(*required: str, **properties: Any) -> Form:
    return read_form("Who are you?", {"type": "object", "properties": properties, "required": list(required)})


def test_each_type_of_field_becomes_a_question() -> None:
    form = form_of(
        "name",
        name={"type": "string", "title": "Your name", "description": "As on the cup."},
        sugar={"type": "boolean", "default": True},
        cups={"type": "integer", "default": 2},
        kind={"type": "string", "enum": ["a", "b"], "enumNames": ["Assam", "Black"], "default": "b"},
        extras={"type": "array", "items": {"anyOf": [{"const": "m", "title": "Milk"}]}, "default": ["m"]},
    )
    asked = form.questions()
    assert (asked[0]["header"], asked[0]["question"], asked[0]["required"]) == ("Your name", "As on the cup.", True)
    assert [each["kind"] for each in asked] == ["text", "boolean", "integer", "choice", "choice"]
    assert [each["prefilled"] for each in asked] == [[], ["Yes"], ["2"], ["Black"], ["Milk"]]
    assert [option["label"] for option in asked[3]["options"]] == ["Assam", "Black"]
    assert asked[4]["multiple"]
    assert defaults_of(form) == {"sugar": True, "cups": 2, "kind": "b", "extras": ["m"]}
    assert Form.from_dict(form.as_dict()) == form


def test_answers_become_values_of_the_right_types() -> None:
    form = form_of(
        sugar={"type": "boolean"},
        cups={"type": "integer"},
        degrees={"type": "number"},
        kind={"type": "string", "oneOf": [{"const": "a", "title": "Assam"}]},
        extras={"type": "array", "items": {"enum": ["milk", "lemon"]}},
        note={"type": "string"},
    )
    answers = [["No"], ["3"], ["85.5"], ["Assam"], ["lemon", "milk"], []]
    assert read_answers(form, answers) == {
        "sugar": False, "cups": 3, "degrees": 85.5, "kind": "a", "extras": ["lemon", "milk"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "given", "words"),
    [
        ({"type": "string"}, "", "an answer is required"),
        ({"type": "integer"}, "2.5", "is not a whole number"),
        ({"type": "number"}, "inf", "too large"),
        ({"type": "number"}, "nan", "too large"),
        ({"type": "integer", "maximum": 5}, "6", "at most 5"),
        ({"type": "string", "minLength": 3}, "ab", "at least 3 characters"),
        ({"type": "string", "format": "email"}, "nobody", "is not an e-mail address"),
        ({"type": "string", "format": "date"}, "31 May", "is not a date"),
        ({"type": "string", "enum": ["a", "b"]}, "c", "choose one of a, b"),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, "c", "is not one of the options"),
        ({"type": "boolean"}, "maybe", "choose one of Yes, No"),
    ],
)
def test_an_answer_that_does_not_fit_says_why(schema: Any, given: str, words: str) -> None:
    with pytest.raises(BadAnswer, match=words):
        read_answers(form_of("it", it=schema), [[given]])


@pytest.mark.parametrize(
    "properties",
    [
        {f"field{number}": {"type": "string"} for number in range(MAX_FIELDS + 1)},
        {"deep": {"type": "object", "properties": {}}},
        {"none": {"type": "string", "enum": []}},
        {"numbers": {"type": "string", "enum": [1, 2]}},
        {"many": {"type": "string", "enum": [str(number) for number in range(51)]}},
        {"no": "schema"},
    ],
)
def test_a_form_that_is_too_large_or_not_flat_is_refused(properties: Any) -> None:
    with pytest.raises(BadForm):
        form_of(**properties)


def test_a_default_that_does_not_fit_is_left_out() -> None:
    form = form_of(cups={"type": "integer", "default": "many"}, kind={"enum": ["a"], "default": "z"})
    assert defaults_of(form) == {}


def test_a_form_without_fields_is_a_confirmation() -> None:
    form = form_of()
    (asked,) = form.questions()
    assert (asked["question"], asked["kind"]) == ("Who are you?", "confirm")
    assert read_answers(form, [["Yes"]]) == {}


def test_a_page_to_open_has_https() -> None:
    form = read_link("Please pay.", "https://example.org/pay")
    assert (form.url, read_answers(form, [["I opened it"]])) == ("https://example.org/pay", {})
    for url in ("http://example.org", "javascript:alert(1)", "https://example.org/\u202e"):
        with pytest.raises(BadForm):
            read_link("Please pay.", url)


def test_texts_of_a_server_are_cleaned_and_shortened() -> None:
    form = form_of(name={"type": "string", "title": "A\x1b[31m title\u202e", "description": "x" * 5_000})
    (asked,) = form.questions()
    assert "\x1b" not in asked["header"]
    assert len(asked["question"]) == 2_000
