"""JSON Schemas that others wrote: what a caller wants an answer to look like, what an MCP server says of its tools.

They are bounded and made plain before anything else sees them, and values are checked with jsonschema. Nothing is ever
fetched, and neither a pattern nor a large value can keep a worker busy.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from functools import lru_cache, wraps
from typing import Any, Final

LARGEST: Final = 65_536  # characters as JSON
DEEPEST: Final = 40
MOST_NODES: Final = 20_000  # after references are written out; a few that refer to each other can make millions
MOST_PROBLEMS: Final = 10
LONGEST_PATTERN: Final = 1000  # characters; reading one takes time too
PATTERN_SECONDS: Final = 0.5
CHECK_SECONDS: Final = 3.0
"""For a whole value. It is checked on the loop that also keeps the leases of other calls, each of 15 s."""
_TOO_LARGE: Final = "The schema is nested too deeply, or its references make it too large."
_LOCAL: Final = ("#/$defs/", "#/definitions/")
_NOT_TAKEN: Final = ("$dynamicRef", "$recursiveRef", "patternProperties")


_checked_until: ContextVar[float] = ContextVar("_checked_until", default=float("inf"))


class BadSchema(ValueError):
    """The message is a plain sentence about what is wrong with the schema."""


class _TooLong(Exception):
    """The time for checking a value is over."""


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
        self._definitions = {f"{start}{name}": value for start in _LOCAL for name, value in _named(root, start)}
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
        _require_usable_pattern(node.get("pattern"))
        return {key: self.plain(value, inside, depth + 1) for key, value in node.items() if _is_kept(key, depth)}

    def _inlined(self, node: Mapping[str, Any], inside: tuple[str, ...], depth: int) -> Any:
        name = node["$ref"]
        if name in inside:
            raise BadSchema(f"{name} contains itself. Write it out to the depth that is needed.")
        if not isinstance(self._definitions.get(name), Mapping):
            raise BadSchema(f"The reference {name[:100]} leads nowhere. Only #/$defs/... can be referred to.")
        beside = {key: value for key, value in node.items() if key != "$ref"}
        return self.plain({**self._definitions[name], **beside}, (*inside, name), depth + 1)


def _named(root: Mapping[str, Any], start: str) -> Iterator[tuple[str, Any]]:
    block = root.get(start.strip("#/"))
    yield from block.items() if isinstance(block, Mapping) else ()


def _require_usable_pattern(pattern: Any) -> None:
    import regex

    if not isinstance(pattern, str):
        return
    if len(pattern) > LONGEST_PATTERN:
        raise BadSchema(f"A pattern may have {LONGEST_PATTERN:,} characters at most.")
    try:
        regex.compile(pattern)
    except (regex.error, RecursionError, OverflowError, ValueError) as error:
        raise BadSchema(f"The pattern {pattern[:100]} is no regular expression that can be used here.") from error


def _is_kept(key: str, depth: int) -> bool:
    if key in _NOT_TAKEN:
        raise BadSchema(f"`{key}` is not supported here.")
    return not (depth == 0 and key in ("$defs", "definitions", "$schema", "$id"))


def _require_valid(schema: Mapping[str, Any]) -> None:
    from jsonschema import FormatChecker
    from jsonschema.exceptions import SchemaError

    try:
        _validator_class().check_schema(schema, format_checker=FormatChecker(()))
    except SchemaError as error:
        place = ".".join(map(str, error.path)) or "its top"
        raise BadSchema(f"This is no JSON Schema: at {place}, {error.message[:200]}") from error


def problems(value: Any, schema: Mapping[str, Any]) -> list[str]:
    """What is wrong with a value, as "place: what"; empty when it fits. `schema` comes from `outside_schema`."""
    found: list[str] = []
    before = _checked_until.set(time.monotonic() + CHECK_SECONDS)
    try:
        for error in _errors(value, schema):
            place = ".".join(map(str, error.absolute_path)) or "the value"
            found.append(f"{place}: {error.message[:300]}")
            if len(found) == MOST_PROBLEMS:
                break
    except _TooLong:
        found.append("the value: it is so large that checking it takes too long; make it smaller")
    except (OverflowError, RecursionError):
        found.append("the value: a number in it is too large, or it is nested too deeply, to be checked")
    finally:
        _checked_until.reset(before)
    return found


def _errors(value: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    from jsonschema import FormatChecker

    checker = FormatChecker(("date", "email", "ipv4", "ipv6"))
    yield from _validator_class()(schema, format_checker=checker).iter_errors(value)


@lru_cache(maxsize=1)
def _validator_class() -> Any:
    """Draft 2020-12, with an end to everything that it looks at. Loaded with the first schema."""
    from jsonschema import Draft202012Validator, validators

    checks = {**Draft202012Validator.VALIDATORS, "pattern": _pattern, "uniqueItems": _unique}
    return validators.extend(Draft202012Validator, {name: _in_time(check) for name, check in checks.items()})


def _in_time(check: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
    @wraps(check)
    def timed(*args: Any) -> Iterator[Any]:
        if time.monotonic() > _checked_until.get():
            raise _TooLong
        yield from check(*args) or ()

    return timed


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


def _unique(_validator: Any, wanted: Any, instance: Any, _schema: Any) -> Iterator[Any]:
    """The library compares each item with all others."""
    from jsonschema.exceptions import ValidationError

    if wanted and isinstance(instance, list):
        kinds = {json.dumps(_same_when_equal(item), sort_keys=True) for item in instance}
        if len(kinds) < len(instance):
            yield ValidationError("it has the same item more than once")


def _same_when_equal(value: Any) -> Any:
    """1 and 1.0 are one number."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_same_when_equal(item) for item in value]
    return {key: _same_when_equal(item) for key, item in value.items()} if isinstance(value, dict) else value
