"""JSON Schemas that others wrote: what a caller wants an answer to look like, what an MCP server says of its tools.

They are bounded and made plain before anything else sees them, and values are checked with jsonschema. Nothing is ever
fetched, and no pattern can keep a worker busy.
"""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

LARGEST: Final = 65_536  # characters as JSON
DEEPEST: Final = 40
MOST_NODES: Final = 20_000  # after references are written out; a few that refer to each other can make millions
MOST_PROBLEMS: Final = 10
PATTERN_SECONDS: Final = 0.5
_TOO_LARGE: Final = "The schema is nested too deeply, or its references make it too large."
_LOCAL: Final = ("#/$defs/", "#/definitions/")
_NOT_TAKEN: Final = ("$dynamicRef", "$recursiveRef", "patternProperties")


class BadSchema(ValueError):
    """The message is a plain sentence about what is wrong with the schema."""


def outside_schema(raw: Any) -> dict[str, Any]:
    """The schema without references, for an object. Raises BadSchema."""
    if not isinstance(raw, Mapping):
        raise BadSchema("A JSON Schema is an object.")
    _require_small(raw)
    schema: dict[str, Any] = _Inliner(raw).plain(raw)
    if schema.get("type") != "object":
        raise BadSchema('The top of the schema must be {"type": "object", ...}: put the value into a property.')
    _require_valid(schema)
    return schema


def _require_small(raw: Mapping[str, Any]) -> None:
    try:
        size = len(json.dumps(raw))
    except RecursionError as error:
        raise BadSchema(_TOO_LARGE) from error
    if size > LARGEST:
        raise BadSchema(f"A JSON Schema may have {LARGEST:,} characters at most.")


class _Inliner:
    """Writes references out, and counts what comes of it."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._definitions = {
            f"{start}{name}": value for start in _LOCAL for name, value in (root.get(start.strip("#/")) or {}).items()
        }
        self._nodes = 0
        self._characters = 0

    def plain(self, node: Any, inside: tuple[str, ...] = (), depth: int = 0) -> Any:
        self._nodes += 1
        self._characters += len(node) if isinstance(node, str) else sum(map(len, node)) if isinstance(node, dict) else 0
        if self._nodes > MOST_NODES or self._characters > LARGEST or depth > DEEPEST:
            raise BadSchema(_TOO_LARGE)
        if isinstance(node, list):
            return [self.plain(item, inside, depth + 1) for item in node]
        if not isinstance(node, Mapping):
            return node
        if "$ref" in node and isinstance(node["$ref"], str):
            return self._inlined(node, inside, depth)
        return {key: self.plain(value, inside, depth + 1) for key, value in node.items() if _is_kept(key, depth)}

    def _inlined(self, node: Mapping[str, Any], inside: tuple[str, ...], depth: int) -> Any:
        name = node["$ref"]
        if name in inside:
            raise BadSchema(f"{name} contains itself. Write it out to the depth that is needed.")
        if not isinstance(self._definitions.get(name), Mapping):
            raise BadSchema(f"The reference {name[:100]} leads nowhere. Only #/$defs/... can be referred to.")
        beside = {key: value for key, value in node.items() if key != "$ref"}
        return self.plain({**self._definitions[name], **beside}, (*inside, name), depth + 1)


def _is_kept(key: str, depth: int) -> bool:
    if key in _NOT_TAKEN:
        raise BadSchema(f"`{key}` is not supported here.")
    return not (depth == 0 and key in ("$defs", "definitions", "$schema", "$id"))


def _require_valid(schema: Mapping[str, Any]) -> None:
    from jsonschema.exceptions import SchemaError

    try:
        _validator_class().check_schema(schema)
    except SchemaError as error:
        place = ".".join(map(str, error.path)) or "its top"
        raise BadSchema(f"This is no JSON Schema: at {place}, {error.message[:200]}") from error


def problems(value: Any, schema: Mapping[str, Any]) -> list[str]:
    """What is wrong with a value, as "place: what"; empty when it fits. `schema` comes from `outside_schema`."""
    from jsonschema import FormatChecker

    errors = _validator_class()(schema, format_checker=FormatChecker(("date", "email", "ipv4", "ipv6"))).iter_errors(
        value
    )
    return [
        f"{'.'.join(map(str, error.absolute_path)) or 'the value'}: {error.message[:300]}"
        for _, error in zip(range(MOST_PROBLEMS), errors, strict=False)
    ]


@lru_cache(maxsize=1)
def _validator_class() -> Any:
    """Draft 2020-12, with patterns that are given up when they take too long. Loaded with the first schema."""
    from jsonschema import Draft202012Validator, validators

    return validators.extend(Draft202012Validator, {"pattern": _pattern})


def _pattern(_validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[Any]:
    import regex
    from jsonschema.exceptions import ValidationError

    if not isinstance(instance, str):
        return
    try:
        found = regex.search(pattern, instance, timeout=PATTERN_SECONDS, concurrent=True)
    except (TimeoutError, regex.error):
        yield ValidationError(f"it could not be checked against the pattern {pattern[:100]}")
        return
    if found is None:
        yield ValidationError(f"{instance[:100]!r} does not match the pattern {pattern[:100]}")
