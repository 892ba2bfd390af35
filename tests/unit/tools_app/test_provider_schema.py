"""Every schema stays a schema of the same thing, in the words that a provider knows."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tools_app.model_families import FAMILIES
from tools_app.provider_schema import AS_TEXT, adapt
from tools_app.registry import catalogue, offer_of
from tools_app.spec import ModelTraits, OfferContext

GEMINI_TYPES = {"string", "number", "integer", "boolean", "array", "object"}


def parameter(schema: dict[str, Any], family: str) -> dict[str, Any]:
    """What becomes of a parameter that is described so."""
    whole = adapt({"type": "object", "properties": {"it": schema}, "required": ["it"]}, family)
    found: dict[str, Any] = whole["properties"]["it"]
    return found


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ({"type": "integer", "exclusiveMinimum": 0}, {"type": "integer", "minimum": 1}),
        ({"type": "number", "exclusiveMaximum": 2.5}, {"type": "number", "maximum": 2.5}),
        ({"type": "integer", "enum": [1, 2]}, {"type": "string", "enum": ["1", "2"]}),
        ({"const": "a"}, {"type": "string", "enum": ["a"]}),
        ({"type": ["string", "null"]}, {"type": "string", "nullable": True}),
        ({"type": ["string", "integer"]}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        ({"oneOf": [{"type": "string"}]}, {"anyOf": [{"type": "string"}]}),
        ({"allOf": [{"type": "string"}]}, {"type": "string"}),
        ({"type": "string", "format": "uri", "x-order": 1}, {"type": "string"}),
        ({"type": "string", "format": "date-time"}, {"type": "string", "format": "date-time"}),
        ({"type": "array"}, {"type": "array", "items": {"type": "string"}}),
        ({"type": "array", "items": [{"type": "integer"}]}, {"type": "array", "items": {"type": "integer"}}),
        ({"type": "string", "required": ["a"]}, {"type": "string"}),
        ({"type": "object"}, {"type": "string", "description": AS_TEXT}),
        (
            {
                "type": "object",
                "properties": {"a": {"const": 1}},
                "required": ["a", "b"],
                "additionalProperties": False,
            },
            {"type": "object", "properties": {"a": {"type": "string", "enum": ["1"]}}, "required": ["a"]},
        ),
    ],
    ids=json.dumps,
)
def test_gemini_is_told_in_the_words_it_knows(given: dict[str, Any], taken: dict[str, Any]) -> None:
    assert parameter(given, "gemini") == taken


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ({"type": "string", "anyOf": [{"type": "string"}]}, {"anyOf": [{"type": "string"}]}),
        ({"type": "array", "items": [{"type": "integer"}]}, {"type": "array", "items": {"type": "integer"}}),
    ],
    ids=json.dumps,
)
def test_kimi_is_told_in_the_words_it_knows(given: dict[str, Any], taken: dict[str, Any]) -> None:
    assert parameter(given, "kimi") == taken


@pytest.mark.parametrize("family", ["", "claude", "gpt", "gemini", "kimi"])
def test_there_is_always_a_plain_object_at_the_top(family: str) -> None:
    text = {"type": "string"}
    given = {
        "anyOf": [{"properties": {"a": text}, "required": ["a"]}, {"properties": {"b": text}}],
        "allOf": [{"properties": {"c": text}, "required": ["c"]}],
    }
    taken = adapt(given, family)
    assert taken == {"type": "object", "properties": {"c": text, "b": text, "a": text}, "required": ["c"]}
    assert adapt({}, family) == {"type": "object", "properties": {}}


def test_the_given_schema_is_not_changed() -> None:
    given = {"type": "object", "properties": {"a": {"type": "integer", "enum": [1], "items": {"const": 2}}}}
    before = json.dumps(given)
    for _, family in FAMILIES:
        adapt(given, family)
    assert json.dumps(given) == before


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(schema, dict):
        return
    yield schema
    for value in schema.get("properties", {}).values():
        yield from _nodes(value)
    yield from _nodes(schema.get("items"))
    for value in schema.get("anyOf", ()):
        yield from _nodes(value)


@pytest.mark.parametrize("tool_id", sorted(catalogue()))
def test_every_tool_can_be_offered_to_gemini(tool_id: str) -> None:
    offer = offer_of(catalogue()[tool_id], OfferContext(model=ModelTraits("gemini")))
    for node in _nodes(offer.schema):
        assert node.get("type") in GEMINI_TYPES or node.get("anyOf"), node
        assert all(isinstance(value, str) for value in node.get("enum", ())), node
        assert set(node.get("required", ())) <= set(node.get("properties", {})), node
        assert node.get("type") != "array" or node["items"], node


@pytest.mark.parametrize("tool_id", sorted(catalogue()))
@pytest.mark.parametrize("family", sorted({family for _, family in FAMILIES}))
def test_no_parameter_and_no_description_gets_lost(tool_id: str, family: str) -> None:
    tool = catalogue()[tool_id]
    plain = tool.schema(OfferContext())
    told = offer_of(tool, OfferContext(model=ModelTraits(family))).schema
    assert set(told["properties"]) == set(plain["properties"])
    assert set(told.get("required", ())) == set(plain.get("required", ()))
    assert all(value.get("description") for value in told["properties"].values())
