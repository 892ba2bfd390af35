import json
from collections.abc import Iterator
from typing import Any

import pytest

from tools_app.model_families import AS_TEXT, FAMILIES, TOOLS_OF_STYLE, adapt_schema, family_of, is_tool_for
from tools_app.registry import catalogue, offer_of, offered
from tools_app.spec import ModelTraits, OfferContext


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-5.2", "gpt"),
        ("openai/gpt-5-mini", "gpt"),
        ("gpt-5.1-codex", "gpt"),
        ("azure/GPT-6", "gpt"),
        ("gpt-4o", "gpt-4"),
        ("openrouter/openai/gpt-4.1", "gpt-4"),
        ("gpt-3.5-turbo", "gpt-4"),
        ("openai/gpt-oss-120b", "gpt-oss"),
        ("claude-sonnet-4-5", "claude"),
        ("bedrock/anthropic.claude-opus-4-1-v1:0", "claude"),
        ("gemini/gemini-2.5-pro", "gemini"),
        ("moonshotai/kimi-k2", "kimi"),
        ("demo", "demo"),
        ("my-own-model", ""),
        ("", ""),
    ],
)
def test_the_name_tells_the_family(model: str, family: str) -> None:
    assert family_of(model) == family


def test_no_name_is_hidden_behind_a_shorter_one_before_it() -> None:
    pieces = [piece for piece, _ in FAMILIES]
    assert not [
        (earlier, later) for place, later in enumerate(pieces) for earlier in pieces[:place] if earlier in later
    ]


@pytest.mark.parametrize(
    ("model", "has", "has_not"),
    [
        ("gpt-5.2", "patch", "replace"),
        ("gpt-4o", "replace", "patch"),
        ("gpt-oss-20b", "replace", "patch"),
        ("claude-sonnet-4-5", "replace", "patch"),
        ("my-own-model", "replace", "patch"),
    ],
)
def test_a_family_gets_one_way_to_change_files(model: str, has: str, has_not: str) -> None:
    names = {offer.name for offer in offered([], (), OfferContext(model=ModelTraits(family_of(model))))}
    tools = {style: set(ids) & set(catalogue()) for style, ids in TOOLS_OF_STYLE.items()}
    assert tools[has] <= names  # type: ignore[index]
    assert not tools[has_not] & names  # type: ignore[index]
    assert {"read", "bash", "grep"} <= names


def test_a_tool_that_has_no_counterpart_is_for_everybody() -> None:
    assert all(is_tool_for("read", family) for _, family in FAMILIES)


GEMINI_TYPES = {"string", "number", "integer", "boolean", "array", "object"}


def parameter(schema: dict[str, Any], family: str) -> dict[str, Any]:
    """Return the adapted schema of a parameter for a model family."""
    whole = adapt_schema({"type": "object", "properties": {"it": schema}, "required": ["it"]}, family)
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
    taken = adapt_schema(given, family)
    assert taken == {"type": "object", "properties": {"c": text, "b": text, "a": text}, "required": ["c"]}
    assert adapt_schema({}, family) == {"type": "object", "properties": {}}


def test_the_given_schema_is_not_changed() -> None:
    given = {"type": "object", "properties": {"a": {"type": "integer", "enum": [1], "items": {"const": 2}}}}
    before = json.dumps(given)
    for _, family in FAMILIES:
        adapt_schema(given, family)
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


@pytest.mark.parametrize("family", sorted({family for _, family in FAMILIES}))
def test_no_parameter_and_no_description_gets_lost(family: str) -> None:
    for tool_id, tool in catalogue().items():
        plain = tool.schema(OfferContext())
        told = offer_of(tool, OfferContext(model=ModelTraits(family))).schema
        assert set(told["properties"]) == set(plain["properties"]), tool_id
        assert set(told.get("required", ())) == set(plain.get("required", ())), tool_id
        assert all(value.get("description") for value in told["properties"].values()), tool_id
