"""Structured output: convert a text reply to a value that matches the requested JSON Schema. Pure functions.

Strings get the whole text and numbers the first number in it; everything else gets the smallest value that fits.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from deploy.demo_model.conversation import text_of
from deploy.demo_model.wire import Call, Reply

TOOL: Final = "StructuredOutput"  # the tool that takes the value
ACCEPTED_PREFIX: Final = "The answer was taken"
CANNOT_MATCH: Final = "I am only a demo model, and I cannot produce an answer that matches this schema."
NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?")
MAX_DEPTH: Final = 20  # levels of nested schemas


def as_structured_output(reply: Reply, body: Mapping[str, Any]) -> Reply:
    """Return the reply unchanged while it has tool calls; convert a final text to a call of `StructuredOutput`.

    A request without a schema gets the reply unchanged.
    """
    schema = _requested_schema(body)
    if schema is None or reply.calls:
        return reply
    if _was_refused(body):
        return Reply(CANNOT_MATCH)
    value = _value_for(schema, reply.text.strip(), 0)
    return replace(reply, text="", calls=(Call(TOOL, json.dumps(value, ensure_ascii=False)),))


def _requested_schema(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    functions = [tool.get("function") or {} for tool in body.get("tools") or [] if isinstance(tool, Mapping)]
    found = [function.get("parameters") for function in functions if function.get("name") == TOOL]
    return found[0] if found and isinstance(found[0], Mapping) and body.get("tool_choice") == "required" else None


def _was_refused(body: Mapping[str, Any]) -> bool:
    """Return whether the site refused an earlier structured output of this turn.

    A second attempt would give the same output.
    """
    messages = [message for message in body.get("messages") or [] if isinstance(message, Mapping)]
    calls = [call for message in messages for call in message.get("tool_calls") or [] if isinstance(call, Mapping)]
    ids = {call.get("id") for call in calls if (call.get("function") or {}).get("name") == TOOL}
    results = [text_of(message) for message in messages if message.get("tool_call_id") in ids]
    return any(not text.startswith(ACCEPTED_PREFIX) for text in results)


def _value_for(schema: Any, words: str, depth: int) -> Any:
    if not isinstance(schema, Mapping) or depth > MAX_DEPTH:
        return words
    for name in ("const", "default"):
        if name in schema:
            return schema[name]
    if schema.get("enum"):
        return _choice(schema["enum"], words)
    for name in ("anyOf", "oneOf"):
        if schema.get(name):
            return _value_for(schema[name][0], words, depth + 1)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    if kind == "object":
        return {name: _value_for(inner, words, depth + 1) for name, inner in (schema.get("properties") or {}).items()}
    if kind == "array":
        return [_value_for(schema.get("items"), words, depth + 1)] * max(1, schema.get("minItems") or 0)
    if kind in ("integer", "number"):
        return _number(schema, words, whole=kind == "integer")
    return {"boolean": False, "null": None}.get(str(kind), _text(schema, words))


def _choice(values: list[Any], words: str) -> Any:
    """Return the first value whose text occurs in `words`; if there is none, the first value."""
    return next((value for value in values if str(value).lower() in words.lower()), values[0])


def _number(schema: Mapping[str, Any], words: str, *, whole: bool) -> float:
    found = NUMBER.search(words)
    value = float(found[0]) if found else 0.0
    low = schema.get("minimum", schema.get("exclusiveMinimum", value - 1) + 1)
    high = schema.get("maximum", schema.get("exclusiveMaximum", value + 1) - 1)
    value = min(max(value, low), high)
    return int(value) if whole else value


def _text(schema: Mapping[str, Any], words: str) -> str:
    return words.ljust(schema.get("minLength") or 0, ".")[: schema.get("maxLength")]
