"""Complete django-ninja's OpenAPI document with summaries, headers, errors, sign-in schemes and examples."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ninja import Field, Schema
from ninja.operation import Operation

from agentsite.api.openapi_examples import REF, Examples
from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import (
    BadInput,
    Changed,
    Missing,
    NotAllowed,
    NotSignedIn,
    SiteError,
    Stale,
    TooLarge,
    TooMany,
    Unavailable,
    UnknownField,
)
from agentsite.http.operation_marks import accepts_key, is_idempotent, takes_match
from agentsite.tenancy.rest.idempotency_key import KEY_HEADER, MAX_KEY_CHARS

KEY_DESCRIPTION: Final = "Any text that you choose. A repeated request with the same key is executed only once."
JSON: Final = "application/json"
METHODS: Final = frozenset({"get", "post", "put", "patch", "delete"})
DOCUMENTED_ERRORS: Final[tuple[type[SiteError], ...]] = (
    BadInput, NotSignedIn, NotAllowed, Missing, Stale, Changed, TooLarge, UnknownField, TooMany, Unavailable,
)  # fmt: skip
FAILURE_DESCRIPTIONS: Final[Mapping[int, str]] = {
    400: "The request is not valid; `fields` names what is wrong.",
    401: "The request is not signed in, or its API token is not valid.",
    403: "Your role or the scopes of your API token do not allow this, or the CSRF token is missing.",
    404: "The object does not exist, or you cannot see it.",
    409: "The state has changed, so the request no longer applies; `code` says why. Read the current state again.",
    412: "The object has changed since the version in `If-Match`.",
    413: "The request is too large.",
    422: "The request has fields or query parameters that the operation does not know; `fields` names them.",
    429: "Too many requests; `Retry-After` is the number of seconds to wait.",
    503: "A part of the site is down. Nothing is lost; try again in a few seconds.",
}
RATE_HEADERS: Final = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
RESPONSE_HEADERS: Final[Mapping[str, str]] = {
    "ETag": "The value for `If-None-Match`, and for `If-Match` of operations that accept it.",
    "RateLimit-Limit": "The number of requests allowed in the period of the limit.",
    "RateLimit-Remaining": "The number of requests that are left in the period.",
    "RateLimit-Reset": "Seconds until the full number of requests is available again.",
    "Idempotency-Replayed": "`true` if the request was executed before, and this is its stored response.",
}
PARAMETER_DESCRIPTIONS: Final[Mapping[str, str]] = {
    "cursor": "`next_cursor` of the previous page.",
    "limit": "The maximum number of items of the page, from 1 to 100.",
}


class FailureView(Schema):
    """An error. `code` is stable; `hint` is the next step; `fields` says what is wrong in each field of the request."""

    code: str = Field(
        description="The stable code of the error. A newer site can send codes that are not listed.",
        json_schema_extra={"x-extensible-enum": [code.value for code in ErrorCode]},
    )
    message: str
    hint: str
    fields: dict[str, str]
    request_id: str


class ErrorBody(Schema):
    error: FailureView


def complete(document: dict[str, Any], operations: Mapping[str, Operation]) -> dict[str, Any]:
    """Add errors, headers, parameters and examples to the OpenAPI document of django-ninja in place, and return it."""
    body = ErrorBody.model_json_schema(ref_template=f"{REF}{{model}}", mode="serialization")
    components = document["components"]
    _name_pages(document)
    components["schemas"].update(body.pop("$defs"), ErrorBody=body)
    components["responses"] = {failure.__name__: _failure(failure) for failure in DOCUMENTED_ERRORS}
    components["responses"]["Failure"] = _failure(SiteError)
    components["headers"] = _answer_headers()
    _describe_sign_in(components.get("securitySchemes", {}))
    examples = Examples(components["schemas"])
    for _, method, operation in operations_of(document):
        source = operations[operation["operationId"]]
        _describe(operation)
        _add_parameters(operation, method, source)
        _add_failures(operation, method)
        _add_headers(operation, method, source)
        _add_examples(operation, examples)
    return document


def _name_pages(document: dict[str, Any]) -> None:
    """Rename the schemas of pages to their titles, such as pydantic's Page_TeamView_ to TeamPage."""
    schemas = document["components"]["schemas"]
    titles = {f"{REF}{name}": schema["title"] for name, schema in schemas.items() if name.startswith("Page_")}
    document["components"]["schemas"] = {titles.get(f"{REF}{name}", name): schemas[name] for name in schemas}
    for _, _, operation in operations_of(document):
        if _answers_json(operation):
            schema = operation["responses"][200]["content"][JSON]["schema"]
            if schema.get("$ref") in titles:
                schema["$ref"] = f"{REF}{titles[schema['$ref']]}"


def operations_of(document: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield path, method and operation of every operation in the document."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method in METHODS:
                yield path, method, operation


def _describe(operation: dict[str, Any]) -> None:
    words = operation["operationId"].replace("_", " ")
    operation["summary"] = words[0].upper() + words[1:]


def _describe_sign_in(schemes: dict[str, Any]) -> None:
    descriptions = {
        "http": "An API token: `Authorization: Bearer ags_...`.",
        "apiKey": "The session of a signed-in browser. Requests that change data also send the cookie `csrftoken`"
        " in the header `X-CSRFToken`.",
    }
    for scheme in schemes.values():
        scheme["description"] = descriptions[scheme["type"]]


def _add_parameters(operation: dict[str, Any], method: str, source: Operation) -> None:
    given = operation.setdefault("parameters", [])
    for parameter in given:
        if parameter["name"] in PARAMETER_DESCRIPTIONS:
            parameter.setdefault("description", PARAMETER_DESCRIPTIONS[parameter["name"]])
    if accepts_key(source) or is_idempotent(source):
        given.append(_header(KEY_HEADER, KEY_DESCRIPTION, MAX_KEY_CHARS))
    if method == "get" and _answers_json(operation):
        given.append(
            _header(
                "If-None-Match", "The `ETag` of a response that you have. The answer is 304 if it is still the same."
            )
        )
        given.append(
            {
                "in": "query",
                "name": "fields",
                "required": False,
                "schema": {"type": "string"},
                "description": "The fields to return, separated by commas: of the object, or of each item of a list.",
            }
        )
    if takes_match(source):
        given.append(
            _header("If-Match", "The `ETag` of the object that you read. The answer is 412 if it has changed since.")
        )


def _header(name: str, description: str, max_length: int = 1000) -> dict[str, Any]:
    schema = {"type": "string", "maxLength": max_length}
    return {"in": "header", "name": name, "required": False, "schema": schema, "description": description}


def _answers_json(operation: Mapping[str, Any]) -> bool:
    return JSON in operation["responses"].get(200, {}).get("content", {})


def _add_failures(operation: dict[str, Any], method: str) -> None:
    """Add the error responses to an operation of the document. `default` covers errors that no operation documents."""
    signed_in, writes = bool(operation.get("security")), method != "get"
    in_path = any(parameter["in"] == "path" for parameter in operation["parameters"])
    happens = {
        400: bool(operation["parameters"]) or writes,
        401: signed_in,
        403: signed_in,
        404: in_path or writes or (signed_in and bool(operation["parameters"])),
        409: writes or "409" in operation["description"],
        412: any(parameter["name"] == "If-Match" for parameter in operation["parameters"]),
        413: "requestBody" in operation,
        422: True,
        429: signed_in,
        503: True,
    }
    for failure in DOCUMENTED_ERRORS:
        if happens[failure.status]:
            operation["responses"].setdefault(failure.status, {"$ref": f"#/components/responses/{failure.__name__}"})
    operation["responses"]["default"] = {"$ref": "#/components/responses/Failure"}


def _failure(kind: type[SiteError]) -> dict[str, Any]:
    meaning = FAILURE_DESCRIPTIONS.get(kind.status, "Any other failure.")
    example = {"code": kind.code, "message": meaning, "hint": kind.code.hint, "fields": {}, "request_id": "5f1c0a9e"}
    content = {"schema": {"$ref": f"{REF}ErrorBody"}, "example": {"error": example}}
    return {"description": meaning, "content": {JSON: content}}


def _add_headers(operation: dict[str, Any], method: str, source: Operation) -> None:
    tagged = method in ("get", "put", "patch") and _answers_json(operation)
    names = [
        *(["ETag"] if tagged else ()),
        *(RATE_HEADERS if operation.get("security") else ()),
        *(["Idempotency-Replayed"] if accepts_key(source) else ()),
    ]
    for status, answer in operation["responses"].items():
        if isinstance(status, int) and status < 300 and names:
            answer.setdefault("headers", {}).update({name: {"$ref": f"#/components/headers/{name}"} for name in names})
    if tagged and method == "get":
        operation["responses"][304] = {"description": "The response has not changed (`If-None-Match`)."}


def _answer_headers() -> dict[str, Any]:
    return {name: {"description": meaning, "schema": {"type": "string"}} for name, meaning in RESPONSE_HEADERS.items()}


def _add_examples(operation: dict[str, Any], examples: Examples) -> None:
    contents = [operation.get("requestBody", {}).get("content", {})]
    contents += [answer.get("content", {}) for answer in operation["responses"].values()]
    for content in contents:
        for media_type, body in content.items():
            if media_type == JSON and "example" not in body:
                body["example"] = examples.of(body["schema"])
    for parameter in operation["parameters"]:
        if "example" not in parameter and parameter.get("required"):
            parameter["example"] = examples.of_field(parameter["name"], parameter["schema"])
