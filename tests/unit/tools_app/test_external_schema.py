"""External schemas are simplified and bounded, and answers are checked against them."""

import time
from contextlib import suppress
from typing import Any

import pytest

from tools_app.external_schema import MAX_CHARACTERS, BadSchema, problems, validated_schema

TEXT = {"type": "string"}
LONG = {"type": "string", "description": "x" * 5000}


def an_object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def test_references_are_written_out() -> None:
    schema = {**an_object(a={"$ref": "#/$defs/t"}, b={"$ref": "#/definitions/u"}), "$defs": {"t": TEXT}}
    schema["definitions"] = {"u": {"type": "array", "items": {"$ref": "#/$defs/t"}}}
    assert validated_schema(schema) == an_object(a=TEXT, b={"type": "array", "items": TEXT})


def _bomb() -> dict[str, Any]:
    """Return a schema that grows exponentially: each definition contains the next one twice."""
    steps = {f"d{n}": an_object(a={"$ref": f"#/$defs/d{n + 1}"}, b={"$ref": f"#/$defs/d{n + 1}"}) for n in range(30)}
    return {**an_object(a={"$ref": "#/$defs/d0"}), "$defs": {**steps, "d30": TEXT}}


def _deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = TEXT
    for _ in range(levels):
        schema = an_object(a=schema)
    return schema


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (7, "is an object"),
        ({"type": "array"}, "The top of the schema must be"),
        ({}, "The top of the schema must be"),
        (an_object(a={"$ref": "https://example.com/schema"}), "leads nowhere"),
        (an_object(a={"$ref": "file:///etc/passwd"}), "leads nowhere"),
        (an_object(a={"$ref": "#/$defs/none"}), "leads nowhere"),
        ({**an_object(a={"$ref": "#/$defs/t"}), "$defs": {"t": an_object(b={"$ref": "#/$defs/t"})}}, "contains itself"),
        (_bomb(), "too large"),
        (_deep(100), "nested too deeply"),
        (_deep(100_000), "nested too deeply"),
        ({**an_object(**{f"p{n}": {"$ref": "#/$defs/d"} for n in range(99)}), "$defs": {"d": LONG}}, "too large"),
        (an_object(a={"type": "text"}), "This is not a JSON Schema: at properties.a.type"),
        (an_object(a={"patternProperties": {}}), "`patternProperties` is not supported"),
        (an_object(a={"description": "x" * MAX_CHARACTERS}), "characters at most"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_reason(schema: Any, said: str) -> None:
    with pytest.raises(BadSchema, match=said):
        validated_schema(schema)


def test_every_problem_of_an_answer_is_named_with_its_place() -> None:
    schema = {**an_object(n={"type": "integer"}, items={"type": "array", "items": TEXT}), "required": ["n", "m"]}
    assert set(problems({"n": "x", "items": ["a", 3]}, schema)) == {
        "items.1: 3 is not of type 'string'",
        "n: 'x' is not of type 'integer'",
        "the value: 'm' is a required property",
    }
    assert problems({"n": 1, "m": 2}, schema) == []


def test_a_pattern_is_checked() -> None:
    schema = an_object(a={"type": "string", "pattern": "^[a-z]+$"})
    assert problems({"a": "tea"}, schema) == []
    assert "does not match" in problems({"a": "Tea"}, schema)[0]


def test_a_pattern_that_never_ends_is_given_up() -> None:
    schema = an_object(a={"type": "string", "pattern": "^(a|a)*$"})
    began = time.monotonic()
    assert "could not be checked" in problems({"a": "a" * 5000 + "b"}, schema)[0]
    assert time.monotonic() - began < 30  # without the limit, this would take more than a century


@pytest.mark.parametrize(
    "schema",
    [
        {**an_object(), "$defs": [1]},
        {**an_object(a={"$ref": "#/definitions/t"}), "definitions": "t"},
        an_object(a={"type": "string", "pattern": "a{99999999999999}"}),
        an_object(a={"type": "string", "pattern": "(" * 5000}),
        an_object(a={"type": "string", "pattern": "(" * 400 + ")" * 400}),
        an_object(a={"type": "string", "pattern": "["}),
    ],
)
def test_a_schema_of_odd_parts_is_refused_or_taken_and_never_breaks_anything(schema: dict[str, Any]) -> None:
    with suppress(BadSchema):
        assert problems({}, validated_schema(schema)) == []


def test_a_large_value_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools_app.external_schema.CHECK_SECONDS", 0.2)
    hard = {"anyOf": [{"pattern": "^(a|a)*$"}, TEXT]}
    began = time.monotonic()
    found = problems({"l": ["a" * 40 + "b"] * 1000}, validated_schema(an_object(l={"items": hard})))
    assert "takes too long" in found[-1]
    assert time.monotonic() - began < 20  # each of the 1,000 alone would take 0.2 s, also on a busy machine


def test_items_are_compared_in_one_pass() -> None:
    schema = validated_schema(an_object(l={"uniqueItems": True}))
    many: list[Any] = [{"a": number} for number in range(20_000)]
    began = time.monotonic()
    assert problems({"l": many}, schema) == []
    assert time.monotonic() - began < 20  # comparing each with each other takes minutes
    assert problems({"l": [1, True, "1", [1]]}, schema) == []
    assert len(problems({"l": [{"a": 1, "b": [2]}, {"b": [2.0], "a": 1}]}, schema)) == 1


def test_a_number_beyond_all_bounds_is_a_problem_of_the_value() -> None:
    schema = validated_schema(an_object(a={"multipleOf": 0.5}))
    assert "too large" in problems({"a": 10**400}, schema)[0]
