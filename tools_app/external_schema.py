"""Accept JSON Schemas from outside (for structured output, or of tools of MCP servers) and check values against them.

A schema is limited in size, and its references are inlined, before it is used. Values are checked with jsonschema.
Nothing is ever fetched, and time limits keep a costly pattern or a large value from blocking a worker.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from functools import lru_cache, wraps
from typing import Any, Final

MAX_CHARACTERS: Final = 65_536  # of the schema as JSON
MAX_DEPTH: Final = 40  # levels of nesting
MAX_NODES: Final = 20_000  # after references are inlined; a few that refer to each other can expand to millions
MAX_PROBLEMS: Final = 10  # reported for one value
MAX_PATTERN_CHARACTERS: Final = 1000  # compiling a pattern takes time too
PATTERN_SECONDS: Final = 0.5  # for matching one pattern
CHECK_SECONDS: Final = 3.0
"""For checking a whole value. The check runs on the event loop that also renews the leases (15 s) of other calls."""
_TOO_LARGE: Final = "The schema is nested too deeply, or its references make it too large."
_LOCAL: Final = ("#/$defs/", "#/definitions/")  # beginnings of references within the schema
_UNSUPPORTED: Final = ("$dynamicRef", "$recursiveRef", "patternProperties")

_checked_until: ContextVar[float] = ContextVar("_checked_until", default=float("inf"))


class BadSchema(ValueError):
    """The schema cannot be used; the message says why."""


class _OutOfTime(Exception):
    """Checking a value took longer than `CHECK_SECONDS`."""


def validated_schema(raw: Any) -> dict[str, Any]:
    """Validate a schema from outside and return it with its references inlined.

    The schema must describe an object. Raises BadSchema.
    """
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
    if size > MAX_CHARACTERS:
        raise BadSchema(f"A JSON Schema may have {MAX_CHARACTERS:,} characters at most.")


class _Inliner:
    """A converter of one schema, which inlines its references and limits the size of the result."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._definitions = {f"{start}{name}": value for start in _LOCAL for name, value in _named(root, start)}
        self._nodes = 0
        self._characters = 0

    def plain(self, node: Any, inside: tuple[str, ...] = (), depth: int = 0) -> Any:
        self._nodes += 1
        self._characters += len(node) if isinstance(node, str) else sum(map(len, node)) if isinstance(node, dict) else 0
        if self._nodes > MAX_NODES or self._characters > MAX_CHARACTERS or depth > MAX_DEPTH:
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
            raise BadSchema(f"{name} contains itself. Write it out to the depth that you need.")
        if not isinstance(self._definitions.get(name), Mapping):
            raise BadSchema(f"The reference {name[:100]} leads nowhere. References can only point to #/$defs/...")
        beside = {key: value for key, value in node.items() if key != "$ref"}
        return self.plain({**self._definitions[name], **beside}, (*inside, name), depth + 1)


def _named(root: Mapping[str, Any], start: str) -> Iterator[tuple[str, Any]]:
    block = root.get(start.strip("#/"))
    yield from block.items() if isinstance(block, Mapping) else ()


def _require_usable_pattern(pattern: Any) -> None:
    import regex

    if not isinstance(pattern, str):
        return
    if len(pattern) > MAX_PATTERN_CHARACTERS:
        raise BadSchema(f"A pattern may have {MAX_PATTERN_CHARACTERS:,} characters at most.")
    try:
        regex.compile(pattern)
    except (regex.error, RecursionError, OverflowError, ValueError) as error:
        raise BadSchema(f"The pattern {pattern[:100]} is not a regular expression that can be used here.") from error


def _is_kept(key: str, depth: int) -> bool:
    if key in _UNSUPPORTED:
        raise BadSchema(f"`{key}` is not supported here.")
    return not (depth == 0 and key in ("$defs", "definitions", "$schema", "$id"))


def _require_valid(schema: Mapping[str, Any]) -> None:
    from jsonschema import FormatChecker
    from jsonschema.exceptions import SchemaError

    try:
        _validator_class().check_schema(schema, format_checker=FormatChecker(()))
    except SchemaError as error:
        place = ".".join(map(str, error.path)) or "its top"
        raise BadSchema(f"This is not a JSON Schema: at {place}, {error.message[:200]}") from error


def problems(value: Any, schema: Mapping[str, Any]) -> list[str]:
    """Return the errors in a value, as "path: problem"; empty if it matches the schema.

    `schema` must come from `validated_schema`.
    """
    found: list[str] = []
    before = _checked_until.set(time.monotonic() + CHECK_SECONDS)
    try:
        for error in _errors(value, schema):
            place = ".".join(map(str, error.absolute_path)) or "the value"
            found.append(f"{place}: {error.message[:300]}")
            if len(found) == MAX_PROBLEMS:
                break
    except _OutOfTime:
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
    """Return a validator class of draft 2020-12 whose checks have time limits. Imports jsonschema only when called."""
    from jsonschema import Draft202012Validator, validators

    checks = {**Draft202012Validator.VALIDATORS, "pattern": _pattern, "uniqueItems": _unique}
    return validators.extend(Draft202012Validator, {name: _in_time(check) for name, check in checks.items()})


def _in_time(check: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
    @wraps(check)
    def timed(*args: Any) -> Iterator[Any]:
        if time.monotonic() > _checked_until.get():
            raise _OutOfTime
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
    """Check `uniqueItems` in linear time; jsonschema compares each item with all others."""
    from jsonschema.exceptions import ValidationError

    if wanted and isinstance(instance, list):
        kinds = {json.dumps(_same_when_equal(item), sort_keys=True) for item in instance}
        if len(kinds) < len(instance):
            yield ValidationError("it has the same item more than once")


def _same_when_equal(value: Any) -> Any:
    """Return the value with whole floats as integers, since JSON Schema treats 1 and 1.0 as equal."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_same_when_equal(item) for item in value]
    return {key: _same_when_equal(item) for key, item in value.items()} if isinstance(value, dict) else value
