from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from tools_app.registry import catalogue
from tools_app.schema import parameters_schema


class Inner(BaseModel):
    title: str = Field(description="A field that is called like a keyword.")
    kind: Literal["a", "b"] = "a"


class Outer(BaseModel):
    """A model whose docstring must not be sent to the provider."""

    inner: Inner = Field(description="One.")
    many: list[Inner] = Field(description="Several.")
    maybe: int | None = Field(default=None, ge=1, description="Left out or a number.")
    either: int | str | None = Field(default=None, description="Left out or one of both.")


class Endless(BaseModel):
    children: list["Endless"]


INNER = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "description": "A field that is called like a keyword."},
        "kind": {"type": "string", "enum": ["a", "b"], "default": "a"},
    },
    "required": ["title"],
}


def test_references_and_titles_are_gone_and_optional_values_are_plain() -> None:
    assert parameters_schema(Outer) == {
        "type": "object",
        "properties": {
            "inner": {**INNER, "description": "One."},
            "many": {"type": "array", "items": INNER, "description": "Several."},
            "maybe": {"type": "integer", "minimum": 1, "description": "Left out or a number."},
            "either": {"anyOf": [{"type": "integer"}, {"type": "string"}], "description": "Left out or one of both."},
        },
        "required": ["inner", "many"],
    }


def test_a_model_that_contains_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="Endless contains itself"):
        parameters_schema(Endless)


def _undescribed(schema: dict[str, Any], path: str) -> list[str]:
    missing = []
    for name, value in schema.get("properties", {}).items():
        here = f"{path}.{name}"
        missing += [] if value.get("description") else [here]
        missing += _undescribed(value.get("items", value), here)
    return missing


@pytest.mark.parametrize("tool_id", sorted(catalogue()))
def test_every_parameter_of_every_tool_is_described(tool_id: str) -> None:
    assert _undescribed(parameters_schema(catalogue()[tool_id].parameters), tool_id) == []


def test_a_schema_is_made_once_because_every_step_of_every_turn_asks_for_all_of_them() -> None:
    assert parameters_schema(Outer) is parameters_schema(Outer)
