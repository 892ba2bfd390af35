"""Derive the family of a model from its name, and choose the editing tools and the form of JSON Schemas for the family.
Pure.

Names are written as by providers and gateways, with or without a provider before a slash ("openai/gpt-5.2",
"anthropic.claude-sonnet-4-5-v1:0"). A new model of a known family needs no change here.

An adapted schema never forbids what the original allows: a constraint that a provider does not support is dropped. The
arguments of a call are checked against the original schema anyway.

- All providers require an object at the top, without `anyOf`, `oneOf` or `allOf` beside its properties.
- Gemini accepts a subset of OpenAPI 3.0: few keywords, strings as enum values, no `const`, no objects without
  properties below the top, and in `required` only names that are in `properties`.
- Kimi rejects a `type` beside `anyOf`, and lists of schemas as `items`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

# (part of a name, family): the first part that a name contains decides, so longer parts come before their substrings.
FAMILIES: Final[tuple[tuple[str, str], ...]] = (
    ("gpt-oss", "gpt-oss"),
    ("gpt-4", "gpt-4"),
    ("gpt-3", "gpt-4"),
    ("gpt-", "gpt"),
    ("codex", "gpt"),
    ("claude", "claude"),
    ("gemini", "gemini"),
    ("gemma", "gemini"),
    ("grok", "grok"),
    ("mistral", "mistral"),
    ("codestral", "mistral"),
    ("devstral", "mistral"),
    ("magistral", "mistral"),
    ("deepseek", "deepseek"),
    ("qwen", "qwen"),
    ("kimi", "kimi"),
    ("moonshot", "kimi"),
    ("glm", "glm"),
    ("llama", "llama"),
    ("demo", "demo"),
)

EditStyle = Literal["replace", "patch"]
# Families trained on patches get `apply_patch`; all others get `edit`, `multiedit` and `write`.
PATCH_FAMILIES: Final = frozenset({"gpt"})
TOOLS_OF_STYLE: Final[Mapping[EditStyle, frozenset[str]]] = {
    "replace": frozenset({"edit", "multiedit", "write"}),
    "patch": frozenset({"apply_patch"}),
}

Node = dict[str, Any]

_COMBINED: Final = ("anyOf", "oneOf", "allOf")
_GEMINI_KEYWORDS: Final = frozenset({
    "type", "format", "description", "nullable", "enum", "items", "properties", "required", "anyOf", "minimum",
    "maximum", "minItems", "maxItems", "minLength", "maxLength", "pattern", "default",
})  # fmt: skip
_GEMINI_FORMATS: Final = frozenset({"enum", "date-time", "int32", "int64", "float", "double"})
AS_TEXT: Final = "An object, written as JSON."


def family_of(model: str) -> str:
    """Return the family of a model name; "" if the name belongs to no known family."""
    name = model.lower()
    return next((family for piece, family in FAMILIES if piece in name), "")


def is_tool_for(tool_id: str, family: str) -> bool:
    """Return whether the tool is offered to models of this family. Only the editing tools depend on the family."""
    other: EditStyle = "replace" if family in PATCH_FAMILIES else "patch"
    return tool_id not in TOOLS_OF_STYLE[other]


def adapt_schema(schema: Mapping[str, Any], family: str) -> Node:
    """Return a copy of the schema, adapted to models of this family."""
    node = _object_at_top(schema)
    rule = _RULES.get(family)
    return node if rule is None else _walk(node, rule, top=True)


def _object_at_top(schema: Mapping[str, Any]) -> Node:
    combined = [branch for name in _COMBINED for branch in schema.get(name, ()) if isinstance(branch, Mapping)]
    node = {key: value for key, value in schema.items() if key not in _COMBINED}
    node["type"] = "object"
    properties = dict(schema.get("properties") or {})
    for branch in combined:
        properties = {**(branch.get("properties") or {}), **properties}
    node["properties"] = properties
    required = set(schema.get("required") or ())
    for branch in schema.get("allOf", ()):
        required |= set(branch.get("required") or ())
    if required:
        node["required"] = [name for name in properties if name in required]
    return node


def _walk(node: Any, rule: Callable[[Node, bool], Node], *, top: bool = False) -> Any:
    """Apply `rule` to a schema and to every schema nested in it, innermost first."""
    if not isinstance(node, Mapping):
        return {} if node is True else node
    inner = dict(node)
    if isinstance(inner.get("properties"), Mapping):
        inner["properties"] = {name: _walk(value, rule) for name, value in inner["properties"].items()}
    if "items" in inner:
        inner["items"] = _walk_items(inner["items"], rule)
    for name in _COMBINED:
        if name in inner:
            inner[name] = [_walk(branch, rule) for branch in inner[name]]
    if isinstance(inner.get("additionalProperties"), Mapping):
        inner["additionalProperties"] = _walk(inner["additionalProperties"], rule)
    return rule(inner, top)


def _walk_items(items: Any, rule: Callable[[Node, bool], Node]) -> Any:
    """Return `items` with `rule` applied: to one schema or, in older drafts, to each schema of a list."""
    if isinstance(items, Sequence) and not isinstance(items, str):
        return [_walk(item, rule) for item in items]
    return _walk(items, rule)


def _for_gemini(node: Node, top: bool) -> Node:
    node = _one_type(_without_const(_bounds_included(node)))
    if "oneOf" in node:
        node["anyOf"] = [*node.get("anyOf", ()), *node.pop("oneOf")]
    for branch in node.pop("allOf", ()):
        node = {**branch, **node}
    if "type" not in node and "anyOf" not in node:
        node["type"] = "object" if "properties" in node else "array" if "items" in node else "string"
    if "enum" in node:
        node["enum"], node["type"] = [_as_text(value) for value in node["enum"]], "string"
    if node.get("format") not in _GEMINI_FORMATS:
        node.pop("format", None)
    if node.get("type") == "array":
        items = node.get("items")
        node["items"] = (items[0] if isinstance(items, list) and items else items) or {"type": "string"}
    if node.get("type") == "object" and not node.get("properties") and not top:
        return {"type": "string", "description": " ".join(filter(None, (node.get("description"), AS_TEXT)))}
    if "required" in node:
        node["required"] = [name for name in node["required"] if name in node.get("properties", {})]
    if node.get("type") != "object":
        node.pop("properties", None)
        node.pop("required", None)
    return {key: value for key, value in node.items() if key in _GEMINI_KEYWORDS}


def _bounds_included(node: Node) -> Node:
    """Replace exclusive bounds in a JSON Schema, which Gemini does not accept, by inclusive bounds: "more than 0"
    becomes "from 1" for integers, else "from 0"."""
    step = 1 if node.get("type") == "integer" else 0
    for exclusive, inclusive, sign in (("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)):
        value = node.pop(exclusive, None)
        if isinstance(value, int | float) and not isinstance(value, bool):
            node.setdefault(inclusive, value + sign * step)
    return node


def _without_const(node: Node) -> Node:
    if "const" in node:
        node["enum"] = [node.pop("const")]
    return node


def _one_type(node: Node) -> Node:
    """Replace a list of types in a schema by a single type, or by `anyOf` if several remain; "null" in the list becomes
    `nullable`."""
    types = node.get("type")
    if not isinstance(types, list):
        return node
    others = [each for each in types if each != "null"]
    if len(others) < len(types):
        node["nullable"] = True
    if len(others) == 1:
        node["type"] = others[0]
        return node
    del node["type"]
    node["anyOf"] = [{"type": each} for each in others] or [{"type": "string"}]
    return node


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else str(value)


def _for_kimi(node: Node, top: bool) -> Node:
    if "anyOf" in node and not top:
        node.pop("type", None)
    items = node.get("items")
    if isinstance(items, list):
        node["items"] = items[0] if items else {}
    return node


_RULES: Final[Mapping[str, Callable[[Node, bool], Node]]] = {"gemini": _for_gemini, "kimi": _for_kimi}
