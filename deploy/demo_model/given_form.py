"""Answers in a given form: what the demo model has to say, put into the JSON Schema that was asked for. Pure.

Texts become what it would have said in words, numbers the first one among those words, everything else the smallest
thing that fits.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from deploy.demo_model.conversation import text_of
from deploy.demo_model.wire import Call, Reply

TOOL: Final = "StructuredOutput"
TAKEN: Final = "The answer was taken"
CANNOT: Final = "I am only a demo model, and I cannot fill in this form."
NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?")
DEEPEST: Final = 20


def in_form(reply: Reply, body: Mapping[str, Any]) -> Reply:
    """The reply as it is while there are calls to make; then a call that gives its words in the wanted form."""
    schema = _wanted(body)
    if schema is None or reply.calls:
        return reply
    if _was_refused(body):
        return Reply(CANNOT)
    value = _filled(schema, reply.text.strip(), 0)
    return replace(reply, text="", calls=(Call(TOOL, json.dumps(value, ensure_ascii=False)),))


def _wanted(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    functions = [tool.get("function") or {} for tool in body.get("tools") or [] if isinstance(tool, Mapping)]
    found = [function.get("parameters") for function in functions if function.get("name") == TOOL]
    return found[0] if found and isinstance(found[0], Mapping) and body.get("tool_choice") == "required" else None


def _was_refused(body: Mapping[str, Any]) -> bool:
    """A value that did not fit once will not fit the second time."""
    messages = [message for message in body.get("messages") or [] if isinstance(message, Mapping)]
    made = [call for message in messages for call in message.get("tool_calls") or [] if isinstance(call, Mapping)]
    ids = {call.get("id") for call in made if (call.get("function") or {}).get("name") == TOOL}
    said = [text_of(message) for message in messages if message.get("tool_call_id") in ids]
    return any(not text.startswith(TAKEN) for text in said)


def _filled(schema: Any, words: str, depth: int) -> Any:
    if not isinstance(schema, Mapping) or depth > DEEPEST:
        return words
    for name in ("const", "default"):
        if name in schema:
            return schema[name]
    if schema.get("enum"):
        return _choice(schema["enum"], words)
    for name in ("anyOf", "oneOf"):
        if schema.get(name):
            return _filled(schema[name][0], words, depth + 1)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    if kind == "object":
        return {name: _filled(inner, words, depth + 1) for name, inner in (schema.get("properties") or {}).items()}
    if kind == "array":
        return [_filled(schema.get("items"), words, depth + 1)] * max(1, schema.get("minItems") or 0)
    if kind in ("integer", "number"):
        return _number(schema, words, whole=kind == "integer")
    return {"boolean": False, "null": None}.get(str(kind), _text(schema, words))


def _choice(values: list[Any], words: str) -> Any:
    """The one that the words name, else the first."""
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
