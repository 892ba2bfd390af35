"""Complete the OpenAPI document of django-ninja: summaries, common headers, failures, sign-in schemes and examples."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ninja import Field, Schema
from ninja.operation import Operation

from agentsite.api.openapi_examples import REF, Examples
from agentsite.api.operations import takes_key
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
from agentsite.http.operation_marks import is_idempotent, takes_match
from agentsite.tenancy.transport.idempotency_key import KEY_HEADER, MAX_KEY_CHARS

ONCE: Final = "Have it done once, however often you ask: any text of your own."
JSON: Final = "application/json"
METHODS: Final = frozenset({"get", "post", "put", "patch", "delete"})
FAILURES: Final[tuple[type[SiteError], ...]] = (
    BadInput, NotSignedIn, NotAllowed, Missing, Stale, Changed, TooLarge, UnknownField, TooMany, Unavailable,
)  # fmt: skip
MEANS: Final[Mapping[int, str]] = {
    400: "The request cannot be understood; `fields` names what is wrong.",
    401: "Nobody is signed in, or the token is not valid.",
    403: "Your role, or your token's scopes, do not reach; or the CSRF token is missing.",
    404: "There is no such thing, or it belongs to another team.",
    409: "Somebody or something was faster; `code` says what. Look again.",
    412: "What you would change is not what you looked at (`If-Match`).",
    413: "The request is too large.",
    422: "The request has fields or query parameters that the operation does not know; `fields` names them.",
    429: "Too many requests; `Retry-After` says when to come again.",
    503: "A part of the site is down. Nothing is lost; try again.",
}
RATE_HEADERS: Final = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
HEADERS: Final[Mapping[str, str]] = {
    "ETag": "What `If-None-Match` takes, and `If-Match` where it is taken.",
    "RateLimit-Limit": "How many requests there may be within the limit's time.",
    "RateLimit-Remaining": "How many of them are left.",
    "RateLimit-Reset": "In how many seconds they are all there again.",
    "Idempotency-Replayed": "`true`: nothing was done now, this is what was answered before.",
}
PARAMETERS: Final[Mapping[str, str]] = {
    "cursor": "`next_cursor` of the page before.",
    "limit": "How many items a page may have, 100 at most.",
}


class FailureView(Schema):
    """`code` is stable; `hint` is the next step; `fields` names what is wrong in the request."""

    code: str = Field(
        description="What went wrong, for programs. A newer site can answer codes that are not listed.",
        json_schema_extra={"x-extensible-enum": [code.value for code in ErrorCode]},
    )
    message: str
    hint: str
    fields: dict[str, str]
    request_id: str


class ErrorBody(Schema):
    error: FailureView


def complete(document: dict[str, Any], operations: Mapping[str, Operation]) -> dict[str, Any]:
    """The same document, completed in place."""
    body = ErrorBody.model_json_schema(ref_template=f"{REF}{{model}}", mode="serialization")
    components = document["components"]
    components["schemas"].update(body.pop("$defs"), ErrorBody=body)
    components["responses"] = {failure.__name__: _failure(failure) for failure in FAILURES}
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


def operations_of(document: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method in METHODS:
                yield path, method, operation


def _describe(operation: dict[str, Any]) -> None:
    words = operation["operationId"].replace("_", " ")
    operation["summary"] = words[0].upper() + words[1:]


def _describe_sign_in(schemes: dict[str, Any]) -> None:
    told = {
        "http": "An API token: `Authorization: Bearer ags_...`.",
        "apiKey": "The session of a signed-in browser. What writes also sends the value of the cookie `csrftoken` in"
        " the header `X-CSRFToken`.",
    }
    for scheme in schemes.values():
        scheme["description"] = told[scheme["type"]]


def _add_parameters(operation: dict[str, Any], method: str, source: Operation) -> None:
    given = operation.setdefault("parameters", [])
    for parameter in given:
        if parameter["name"] in PARAMETERS:
            parameter.setdefault("description", PARAMETERS[parameter["name"]])
    if takes_key(source) or is_idempotent(source):
        given.append(_header(KEY_HEADER, ONCE, MAX_KEY_CHARS))
    if method == "get" and _answers_json(operation):
        given.append(_header("If-None-Match", "The `ETag` of an answer that you have: 304 when it is still the same."))
        given.append(
            {
                "in": "query",
                "name": "fields",
                "required": False,
                "schema": {"type": "string"},
                "description": "Only these fields, with commas between them; of a list, of each of its items.",
            }
        )
    if takes_match(source):
        given.append(_header("If-Match", "The `ETag` of what you looked at: 412 when somebody changed it since."))


def _header(name: str, description: str, longest: int = 1000) -> dict[str, Any]:
    schema = {"type": "string", "maxLength": longest}
    return {"in": "header", "name": name, "required": False, "schema": schema, "description": description}


def _answers_json(operation: Mapping[str, Any]) -> bool:
    return JSON in operation["responses"].get(200, {}).get("content", {})


def _add_failures(operation: dict[str, Any], method: str) -> None:
    """`default` is for what no operation means to answer."""
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
    for failure in FAILURES:
        if happens[failure.status]:
            operation["responses"].setdefault(failure.status, {"$ref": f"#/components/responses/{failure.__name__}"})
    operation["responses"]["default"] = {"$ref": "#/components/responses/Failure"}


def _failure(kind: type[SiteError]) -> dict[str, Any]:
    meaning = MEANS.get(kind.status, "Any other failure.")
    example = {"code": kind.code, "message": meaning, "hint": kind.code.hint, "fields": {}, "request_id": "5f1c0a9e"}
    content = {"schema": {"$ref": f"{REF}ErrorBody"}, "example": {"error": example}}
    return {"description": meaning, "content": {JSON: content}}


def _add_headers(operation: dict[str, Any], method: str, source: Operation) -> None:
    tagged = method in ("get", "put", "patch") and _answers_json(operation)
    told = [
        *(["ETag"] if tagged else ()),
        *(RATE_HEADERS if operation.get("security") else ()),
        *(["Idempotency-Replayed"] if takes_key(source) else ()),
    ]
    for status, answer in operation["responses"].items():
        if isinstance(status, int) and status < 300 and told:
            answer.setdefault("headers", {}).update({name: {"$ref": f"#/components/headers/{name}"} for name in told})
    if tagged and method == "get":
        operation["responses"][304] = {"description": "It is still the same (`If-None-Match`)."}


def _answer_headers() -> dict[str, Any]:
    return {name: {"description": meaning, "schema": {"type": "string"}} for name, meaning in HEADERS.items()}


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
