"""Changes of the API document that break clients, and others that do not."""

# ruff: noqa: ARG005 - changes take the operation and the schema, whichever they need

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.api_changes import breaking_changes

TEA: dict[str, Any] = {
    "type": "object",
    "properties": {"kind": {"type": "string", "enum": ["green", "black"]}, "cups": {"type": "integer"}},
    "required": ["kind"],
}
OLD: dict[str, Any] = {
    "paths": {
        "/tea": {
            "post": {
                "operationId": "make_tea",
                "parameters": [{"in": "query", "name": "milk", "required": False, "schema": {"type": "boolean"}}],
                "requestBody": {"required": True, "content": {"application/json": {"schema": {"$ref": "#/x/Tea"}}}},
                "responses": {
                    "201": {"content": {"application/json": {"schema": {"$ref": "#/x/Tea"}}}},
                    "404": {"description": "none left"},
                },
            }
        }
    },
    "components": {"schemas": {"Tea": TEA}},
}


def changed(change: Callable[[dict[str, Any], dict[str, Any]], Any]) -> list[str]:
    new = copy.deepcopy(OLD)
    change(new["paths"]["/tea"]["post"], new["components"]["schemas"]["Tea"])
    return list(breaking_changes(OLD, new))


def test_what_is_the_same_breaks_nothing() -> None:
    assert changed(lambda operation, tea: None) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda operation, tea: operation["parameters"].append(
            {"in": "query", "name": "sugar", "required": False, "schema": {}}
        ),
        lambda operation, tea: tea["properties"].update(origin={"type": "string"}),
        lambda operation, tea: tea["properties"]["kind"]["enum"].append("white"),
        lambda operation, tea: operation["responses"].pop("404"),
    ],
)
def test_adding_is_free(change: Any) -> None:
    assert changed(change) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda operation, tea: operation.update(operationId="brew"), "is not there any more"),
        (lambda operation, tea: operation["parameters"].clear(), "takes no milk"),
        (lambda operation, tea: operation["parameters"][0].update(required=True), "insists on milk"),
        (lambda operation, tea: tea["properties"].pop("cups"), "has no cups"),
        (lambda operation, tea: tea["required"].append("cups"), "must have cups"),
        (lambda operation, tea: tea["required"].clear(), "need not have kind"),
        (lambda operation, tea: tea["properties"]["cups"].update(type="string"), "was ['integer']"),
        (lambda operation, tea: tea["properties"]["kind"]["enum"].remove("green"), "may not be ['green']"),
        (lambda operation, tea: operation["responses"].pop("201"), "does not answer 201"),
    ],
)
def test_what_breaks_clients_is_said(change: Any, said: str) -> None:
    assert any(said in line for line in changed(change)), changed(change)


def test_another_address_is_another_operation() -> None:
    new = copy.deepcopy(OLD)
    new["paths"]["/coffee"] = new["paths"].pop("/tea")
    assert list(breaking_changes(OLD, new)) == ["make_tea: is at post /coffee, was at post /tea"]
