"""An example for every request and answer of the API's document, made from its schema.

What a field of a certain name looks like is told by the tables here; everything else follows from its type. So a new
route has an example at once, and an example can never say what its schema does not.
"""

from collections.abc import Mapping
from typing import Any, Final

from jsonschema import Draft202012Validator

REF: Final = "#/components/schemas/"
DEPTH: Final = 8
HEX: Final = "0190f3c2b7a47d1e9c5a3b1f2d4e6a80"
AT: Final = "2026-03-02T09:30:00.000000Z"

# By the name of the field, whatever thing it belongs to.
WORDS: Final[Mapping[str, Any]] = {
    "email": "ada@example.org",
    "name": "Ada",
    "slug": "tea-shop",
    "text": "Fix the failing test.",
    "title": "Fix the failing test",
    "summary": "The total was rounded too early. It is rounded at the end now, and the tests pass.",
    "description": "What the shop's own tools do.",
    "reason": "Builds need no answer any more.",
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
    "expires_at": "2027-03-02T09:30:00.000000Z",
    "url": "https://hooks.example.org/agentsite",
    "password": "a long phrase of your own",
    "media_type": "image/png",
    "cost": "0.012000",
    "color": "#2f6feb",
    "place": f"tea_{HEX}",
    "key": "sk-...",
    "token": "ags_...",
    "ticket": "agt_...",
    "hint": "",
    "fields": {},
}
# `session_id` is `ses_...`. What stands alone as `id` takes the prefix of the thing it is in.
PREFIXES: Final[Mapping[str, str]] = {
    "session": "ses", "project": "prj", "workspace": "wsp", "team": "tea", "turn": "trn", "message": "msg",
    "part": "prt", "call": "call", "caller": "call", "outer": "call", "request": "per", "question": "que",
    "grant": "gra", "token": "tok", "attachment": "att", "agent": "agt", "parent": "ses", "started_by": "usr",
    "user": "usr",
}  # fmt: skip
THINGS: Final[Mapping[str, str]] = {
    "Session": "ses", "Workspace": "wsp", "Project": "prj", "Team": "tea", "Turn": "trn", "Message": "msg",
    "Part": "prt", "ToolCall": "call", "PermissionRequest": "per", "WaitingRequest": "per", "Question": "que",
    "WaitingQuestion": "que", "Grant": "gra", "Token": "tok", "IssuedToken": "tok", "Attachment": "att",
    "AgentRow": "agt", "Person": "usr", "User": "usr", "AuditEntry": "aud", "WorkspaceNote": "wno",
}  # fmt: skip


class Examples:
    """Makes examples for the schemas of one document."""

    def __init__(self, schemas: Mapping[str, Any]) -> None:
        self._schemas = schemas

    def of(self, schema: Mapping[str, Any]) -> Any:
        return self._make(schema, name="", thing="", depth=0)

    def of_field(self, name: str, schema: Mapping[str, Any]) -> Any:
        return self._make(schema, name=name, thing="", depth=0)

    def _make(self, schema: Mapping[str, Any], *, name: str, thing: str, depth: int) -> Any:
        for told in ("const", "example"):
            if told in schema:
                return schema[told]
        if schema.get("examples"):
            return schema["examples"][0]
        if "$ref" in schema:
            found = schema["$ref"].removeprefix(REF)
            return self._make(self._schemas[found], name=name, thing=found, depth=depth + 1)
        if "enum" in schema:
            return schema["enum"][0]
        known = self._known(schema, name, thing)
        if known is not None:
            return known
        return self._by_type(schema, name=name, thing=thing, depth=depth)

    def _known(self, schema: Mapping[str, Any], name: str, thing: str) -> Any:
        """Return the example of the tables for this name, or None."""
        head = name.removesuffix("_id")
        candidates = [WORDS.get(name)]
        if name == "id":
            prefix = next((THINGS[key] for key in (thing, thing.removesuffix("View")) if key in THINGS), None)
            candidates.append(prefix and f"{prefix}_{HEX}")
        elif head != name and head in PREFIXES:
            candidates.append(f"{PREFIXES[head]}_{HEX}")
        elif name.endswith("_cursor"):
            candidates.append(f"cur_{HEX}")
        return next((found for found in candidates if found is not None and self._fits(found, schema)), None)

    def _fits(self, value: Any, schema: Mapping[str, Any]) -> bool:
        whole = {**schema, "components": {"schemas": self._schemas}}
        return bool(Draft202012Validator(whole).is_valid(value))

    def _by_type(self, schema: Mapping[str, Any], *, name: str, thing: str, depth: int) -> Any:
        choices = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
        if choices:
            if depth > DEPTH and {"type": "null"} in choices:
                return None
            made = ((choice, self._make(choice, name=name, thing=thing, depth=depth + 1)) for choice in choices)
            return next((example for choice, example in made if self._fits(example, choice)), None)
        kind = schema.get("type")
        if kind == "object" or "properties" in schema:
            return self._object(schema, thing=thing, depth=depth)
        if kind == "array":
            if depth > DEPTH or "items" not in schema:
                return []
            item = self._make(schema["items"], name=name.removesuffix("s"), thing=thing, depth=depth + 1)
            return [item] * max(1, schema.get("minItems", 0))
        return _scalar(schema, name)

    def _object(self, schema: Mapping[str, Any], *, thing: str, depth: int) -> dict[str, Any]:
        given = {
            name: self._make(field, name=name, thing=thing, depth=depth + 1)
            for name, field in schema.get("properties", {}).items()
        }
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict) and extra and not given and depth <= DEPTH:
            return {"name": self._make(extra, name="", thing=thing, depth=depth + 1)}
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
            return AT
        case "date":
            return AT[:10]
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
