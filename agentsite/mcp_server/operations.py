"""Operations of the REST API as MCP clients see them: one flat JSON Schema of arguments, from the API document."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final
from urllib.parse import quote

from agentsite.api.root import api
from agentsite.base.errors import BadInput
from agentsite.http.error_responses import unknown_parameters
from agentsite.http.json_input import require_plain
from agentsite.mcp_server.rest_calls import RestRequest
from agentsite.tenancy.rest.idempotency_key import KEY_HEADER

KEY_ARGUMENT: Final = "idempotency_key"
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,100}")
_KEY_SCHEMA: Final = {
    "type": "string",
    "maxLength": 200,
    "description": "A text of your choice. A repeated call with the same key does nothing again and gets the first"
    " answer.",
}
_LEFT_OUT: Final = frozenset({"fields"})
_PREFIX: Final = "/api/v1/"


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the REST API as an MCP client calls it. `places` says for each argument whether it belongs in the
    path, the query or the body."""

    method: str
    path: str
    places: Mapping[str, str]
    schema: dict[str, Any] = field(repr=False)

    def request(self, arguments: Mapping[str, Any]) -> RestRequest:
        """Return the HTTP request that calls the operation with these arguments. Raises BadInput, and UnknownField for
        arguments that the operation does not have.

        The operation itself checks everything else.
        """
        require_plain(dict(arguments))
        unknown = [name for name in arguments if name not in self.places]
        if unknown:
            raise unknown_parameters(unknown)
        given = {place: self._at(place, arguments) for place in ("path", "query", "body")}
        has_body = "body" in self.places.values()
        return RestRequest(
            self.method,
            self._filled(given["path"]),
            {name: _query_text(name, value) for name, value in given["query"].items() if value is not None},
            given["body"] if has_body else None,
            _key(arguments.get(KEY_ARGUMENT)),
        )

    def _at(self, place: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in arguments.items() if self.places[name] == place}

    def _filled(self, values: Mapping[str, Any]) -> str:
        path = self.path
        for name in (name for name, place in self.places.items() if place == "path"):
            value = values.get(name)
            if not isinstance(value, str) or not _ID.fullmatch(value):
                raise BadInput(f"'{name}' must be an id.", fields={name: "required, the id of an object"})
            path = path.replace(f"{{{name}}}", quote(value, safe=""))
        return path


@cache
def operation(operation_id: str) -> Operation:
    """Return the operation with this id. The first call takes about a second, because it builds the API document."""
    method, path, about = _paths()[operation_id]
    return _operation(method, path, about, _document())


@cache
def _document() -> Mapping[str, Any]:
    document: Mapping[str, Any] = api.get_openapi_schema(path_prefix=_PREFIX)
    return document


@cache
def _paths() -> Mapping[str, tuple[str, str, Mapping[str, Any]]]:
    return {
        about["operationId"]: (method.upper(), path, about)
        for path, methods in _document()["paths"].items()
        for method, about in methods.items()
    }


def _operation(method: str, path: str, about: Mapping[str, Any], document: Mapping[str, Any]) -> Operation:
    places: dict[str, str] = {}
    properties: dict[str, Any] = {}
    required: list[str] = []
    for name, place, schema, is_required in _arguments(about, document):
        places[name] = place
        properties[name] = schema
        required += [name] if is_required else []
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return Operation(method, path, places, schema)


def _arguments(
    about: Mapping[str, Any], document: Mapping[str, Any]
) -> Iterator[tuple[str, str, dict[str, Any], bool]]:
    """Yield each argument of an operation as (name, location, schema, whether it is required).

    The location is "path", "query", "body" or, for the idempotency key, "key".
    """
    for parameter in about.get("parameters", ()):
        if parameter["in"] in ("path", "query") and parameter["name"] not in _LEFT_OUT:
            schema = _resolved(parameter["schema"], document)
            if "description" in parameter:
                schema["description"] = parameter["description"]
            yield parameter["name"], parameter["in"], schema, bool(parameter.get("required"))
    content = about.get("requestBody", {}).get("content", {})
    body = _resolved(content.get("application/json", {}).get("schema", {}), document)
    for name, schema in body.get("properties", {}).items():
        yield name, "body", schema, name in body.get("required", ())
    if any(parameter["name"] == KEY_HEADER for parameter in about.get("parameters", ())):
        yield KEY_ARGUMENT, "key", dict(_KEY_SCHEMA), False


def _resolved(schema: Any, document: Mapping[str, Any]) -> Any:
    """Return a JSON Schema without titles, and with references replaced by their targets."""
    if isinstance(schema, list):
        return [_resolved(item, document) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return _resolved(document["components"]["schemas"][name], document)
    is_schema = "title" in schema and isinstance(schema["title"], str)
    kept = {name: value for name, value in schema.items() if not (name == "title" and is_schema)}
    return {name: _resolved(value, document) for name, value in kept.items()}


def _query_text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str | int | float):
        raise BadInput(f"'{name}' must be a text, a number, true or false.", fields={name: "of the wrong type"})
    return str(value)


def _key(value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not value.isascii():
        raise BadInput(f"'{KEY_ARGUMENT}' must be a text of ASCII characters.", fields={KEY_ARGUMENT: "not a key"})
    return value
