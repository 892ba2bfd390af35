"""Generate an example from the schema of every request and response in the OpenAPI document.

Tables give realistic values for common field names; all other values follow from the type. A new route has examples at
once, and an example always matches its schema.
"""

from collections.abc import Mapping
from typing import Any, Final

from jsonschema import Draft202012Validator

REF: Final = "#/components/schemas/"
MAX_DEPTH: Final = 8  # levels of nested schemas
EXAMPLE_ID: Final = "0190f3c2b7a47d1e9c5a3b1f2d4e6a80"
EXAMPLE_TIME: Final = "2026-03-02T09:30:00.000000Z"

# By the name of the field, in any schema.
VALUES: Final[Mapping[str, Any]] = {
    "email": "ada@example.org",
    "name": "Ada",
    "slug": "tea-shop",
    "text": "Fix the failing test.",
    "title": "Fix the failing test",
    "summary": "The total was rounded too early. Now it is rounded at the end, and the tests pass.",
    "description": "Adds the tools of the shop.",
    "reason": "Build commands no longer ask for permission.",
    "message": "Use the staging server instead.",
    "agent": "build",
    "model": "demo",
    "tool": "bash",
    "permission": "bash",
    "pattern": "pytest *",
    "patterns": ["pytest -q"],
    "always": ["pytest *"],
    "path": "src/total.py",
    "command": "pytest -q",
    "commit": "3f786850e387550fdab836ed7e6dc881de23001b",
    "expires_at": "2027-03-02T09:30:00.000000Z",
    "url": "https://hooks.example.org/agentsite",
    "password": "a long phrase of your own",
    "media_type": "image/png",
    "cost": "0.012000",
    "color": "#2f6feb",
    "place": f"tea_{EXAMPLE_ID}",
    "key": "sk-...",
    "token": "ags_...",
    "ticket": "agt_...",
    "hint": "",
    "fields": {},
}
# `session_id` gets the prefix `ses`. A field `id` gets the prefix of the schema that contains it.
FIELD_PREFIXES: Final[Mapping[str, str]] = {
    "session": "ses", "project": "prj", "workspace": "wsp", "team": "tea", "turn": "trn", "message": "msg",
    "part": "prt", "call": "call", "caller": "call", "outer": "call", "request": "per", "question": "que",
    "grant": "gra", "token": "tok", "attachment": "att", "agent": "agt", "parent": "ses", "started_by": "usr",
    "user": "usr",
}  # fmt: skip
SCHEMA_PREFIXES: Final[Mapping[str, str]] = {
    "Session": "ses", "Workspace": "wsp", "Project": "prj", "Team": "tea", "Turn": "trn", "Message": "msg",
    "Part": "prt", "ToolCall": "call", "PermissionRequest": "per", "WaitingRequest": "per", "Question": "que",
    "WaitingQuestion": "que", "Grant": "gra", "Token": "tok", "IssuedToken": "tok", "Attachment": "att",
    "AgentRow": "agt", "Person": "usr", "User": "usr", "AuditEntry": "aud", "WorkspaceNote": "wno",
}  # fmt: skip


class Examples:
    """Generator of examples for the schemas of one OpenAPI document."""

    def __init__(self, schemas: Mapping[str, Any]) -> None:
        self._schemas = schemas

    def of(self, schema: Mapping[str, Any]) -> Any:
        return self._make(schema, name="", schema_name="", depth=0)

    def of_field(self, name: str, schema: Mapping[str, Any]) -> Any:
        return self._make(schema, name=name, schema_name="", depth=0)

    def _make(self, schema: Mapping[str, Any], *, name: str, schema_name: str, depth: int) -> Any:
        for keyword in ("const", "example"):
            if keyword in schema:
                return schema[keyword]
        if schema.get("examples"):
            return schema["examples"][0]
        if "$ref" in schema:
            found = schema["$ref"].removeprefix(REF)
            return self._make(self._schemas[found], name=name, schema_name=found, depth=depth + 1)
        if "enum" in schema:
            return schema["enum"][0]
        known = self._known(schema, name, schema_name)
        if known is not None:
            return known
        return self._by_type(schema, name=name, schema_name=schema_name, depth=depth)

    def _known(self, schema: Mapping[str, Any], name: str, schema_name: str) -> Any:
        """Return the example value that the tables of this module contain for a field name; None if there is none, or
        if it does not match the schema."""
        head = name.removesuffix("_id")
        candidates = [VALUES.get(name)]
        if name == "id":
            prefix = next(
                (
                    SCHEMA_PREFIXES[key]
                    for key in (schema_name, schema_name.removesuffix("View"))
                    if key in SCHEMA_PREFIXES
                ),
                None,
            )
            candidates.append(prefix and f"{prefix}_{EXAMPLE_ID}")
        elif head != name and head in FIELD_PREFIXES:
            candidates.append(f"{FIELD_PREFIXES[head]}_{EXAMPLE_ID}")
        elif name.endswith("_cursor"):
            candidates.append(f"cur_{EXAMPLE_ID}")
        return next((found for found in candidates if found is not None and self._fits(found, schema)), None)

    def _fits(self, value: Any, schema: Mapping[str, Any]) -> bool:
        whole = {**schema, "components": {"schemas": self._schemas}}
        return bool(Draft202012Validator(whole).is_valid(value))

    def _by_type(self, schema: Mapping[str, Any], *, name: str, schema_name: str, depth: int) -> Any:
        choices = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
        if choices:
            if depth > MAX_DEPTH and {"type": "null"} in choices:
                return None
            candidates = (
                (choice, self._make(choice, name=name, schema_name=schema_name, depth=depth + 1)) for choice in choices
            )
            return next((example for choice, example in candidates if self._fits(example, choice)), None)
        kind = schema.get("type")
        if kind == "object" or "properties" in schema:
            return self._object(schema, schema_name=schema_name, depth=depth)
        if kind == "array":
            if depth > MAX_DEPTH or "items" not in schema:
                return []
            item = self._make(schema["items"], name=name.removesuffix("s"), schema_name=schema_name, depth=depth + 1)
            return [item] * max(1, schema.get("minItems", 0))
        return _scalar(schema, name)

    def _object(self, schema: Mapping[str, Any], *, schema_name: str, depth: int) -> dict[str, Any]:
        given = {
            name: self._make(field, name=name, schema_name=schema_name, depth=depth + 1)
            for name, field in schema.get("properties", {}).items()
        }
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict) and extra and not given and depth <= MAX_DEPTH:
            return {"name": self._make(extra, name="", schema_name=schema_name, depth=depth + 1)}
        return given


def _scalar(schema: Mapping[str, Any], name: str) -> Any:
    kind = schema.get("type")
    if kind == "null":
        return None
    if kind == "boolean":
        return schema.get("default", False)
    if kind in ("integer", "number"):
        least = schema.get("minimum", schema.get("exclusiveMinimum", 0))
        return schema.get("default") or (least + 1 if "exclusiveMinimum" in schema else least)
    if kind == "string":
        return _text(schema, name)
    return {}


def _text(schema: Mapping[str, Any], name: str) -> str:
    match schema.get("format"):
        case "date-time":
            return EXAMPLE_TIME
        case "date":
            return EXAMPLE_TIME[:10]
        case "email":
            return "ada@example.org"
        case "uri" | "url":
            return "https://example.org/"
        case "binary":
            return "(the bytes of the file)"
    if schema.get("default"):
        return str(schema["default"])
    words = name.replace("_", " ") or "text"
    return words[: schema.get("maxLength", len(words))]
