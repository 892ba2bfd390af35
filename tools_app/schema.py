"""Convert pydantic models to plain JSON Schemas for providers: references inlined, no titles."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

_NULL = {"type": "null"}


@lru_cache(maxsize=512)
def parameters_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema of a tool's parameters. The result is cached: do not change it.

    Raises ValueError for a recursive model.
    """
    raw = model.model_json_schema()
    schema: dict[str, Any] = _plain(raw, raw.get("$defs", {}), ())
    schema.pop("description", None)
    schema.setdefault("properties", {})
    return schema


def _plain(node: Any, definitions: Mapping[str, Any], inside: tuple[str, ...]) -> Any:
    if isinstance(node, list):
        return [_plain(item, definitions, inside) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _inlined(node, definitions, inside)
    if _NULL in node.get("anyOf", ()):
        return _plain(_without_null(node), definitions, inside)
    return {
        key: {name: _plain(value, definitions, inside) for name, value in item.items()}
        if key == "properties"
        else _plain(item, definitions, inside)
        for key, item in node.items()
        if key not in ("$defs", "title") and not (key == "default" and item is None)
    }


def _inlined(node: Mapping[str, Any], definitions: Mapping[str, Any], inside: tuple[str, ...]) -> Any:
    name = node["$ref"].rpartition("/")[2]
    if name in inside:
        raise ValueError(f"{name} contains itself and cannot be written without references.")
    beside = {key: value for key, value in node.items() if key != "$ref"}
    return _plain({**definitions[name], **beside}, definitions, (*inside, name))


def _without_null(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an optional value without its null branch, because calls omit optional values instead of
    sending null."""
    others = [item for item in node["anyOf"] if item != _NULL]
    beside = {key: value for key, value in node.items() if key != "anyOf"}
    return {**others[0], **beside} if len(others) == 1 else {**beside, "anyOf": others}
