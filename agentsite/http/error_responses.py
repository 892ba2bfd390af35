"""Error responses: every failed request gets the same JSON shape.

The shape is {"error": {code, message, hint, fields, request_id}}.
"""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

import structlog
from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponseBase, JsonResponse
from django.http.multipartparser import MultiPartParserError
from django.views.decorators.csrf import csrf_exempt
from ninja.errors import HttpError, ValidationError
from redis.exceptions import RedisError

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import (
    BadInput,
    Missing,
    NotAllowed,
    NotSignedIn,
    SiteError,
    TooLarge,
    TooMany,
    Unavailable,
    UnknownField,
)

_log = structlog.get_logger(__name__)
_MAX_NAMES_IN_MESSAGE = 5

_BY_STATUS: Mapping[int, SiteError] = {
    400: BadInput("The request is not valid."),
    401: NotSignedIn("You are not signed in, or your token is not valid."),
    403: NotAllowed("This is not allowed."),
    404: Missing("There is nothing at this address.", hint="Check the address. All routes are listed at /api/docs."),
    405: BadInput(
        "This address does not support that method.",
        code=ErrorCode.METHOD_NOT_ALLOWED,
        hint="All routes are listed at /api/docs.",
    ),
    413: TooLarge("The request is too large."),
    429: TooMany("Too many requests."),
}

_STATUS_OF: Mapping[type[Exception], int] = {
    Http404: 404,
    PermissionDenied: 403,
    RequestDataTooBig: 413,
    TooManyFieldsSent: 413,
    TooManyFilesSent: 413,
    MultiPartParserError: 400,
}


def request_id_of(request: HttpRequest) -> str:
    return str(getattr(request, "request_id", ""))


def error_response(request: HttpRequest, error: SiteError, *, status: int | None = None) -> JsonResponse:
    body = {
        "code": error.code,
        "message": error.message,
        "hint": error.hint,
        "fields": error.fields,
        "request_id": request_id_of(request),
    }
    return JsonResponse({"error": body}, status=status or error.status)


def to_site_error(error: Exception) -> SiteError:
    """Convert an exception to the error that the client gets. The error for an unknown exception reveals nothing about
    the cause."""
    if isinstance(error, SiteError):
        return error
    if isinstance(error, ValidationError):
        return _from_validation(error)
    if isinstance(error, HttpError):
        return _from_http(error)
    if isinstance(error, OperationalError):
        return Unavailable("The database is busy, full or down.", code=ErrorCode.DATABASE_UNAVAILABLE)
    if isinstance(error, RedisError):
        return Unavailable("The message broker is down.", code=ErrorCode.BROKER_UNAVAILABLE)
    status = next((status for kind, status in _STATUS_OF.items() if isinstance(error, kind)), 500)
    return _BY_STATUS.get(status) or SiteError("The site failed unexpectedly.")


def _from_validation(error: ValidationError) -> BadInput | UnknownField:
    """Convert a validation error; `fields` maps the dotted path of each invalid field to what is wrong.

    Unknown fields are reported first and alone, because a misspelled field would also be reported as missing.
    """
    fields: dict[str, str] = {}
    unknown: dict[str, str] = {}
    for problem in error.errors:
        path = [str(step) for step in problem.get("loc", ()) if step not in ("body", "query", "path", "payload")]
        name = ".".join(path) or "body"
        if problem.get("type") == "extra_forbidden":
            unknown[name] = "is not a field of this operation"
        else:
            fields[name] = str(problem.get("msg", "is not valid"))
    if unknown:
        return UnknownField(f"The request has unknown fields: {_listed(unknown)}.", fields=unknown)
    return BadInput("Some fields are not valid.", fields=fields)


def unknown_parameters(names: Iterable[str]) -> UnknownField:
    """Return the error for query parameters that an operation does not have."""
    fields = dict.fromkeys(names, "is not a parameter of this operation")
    return UnknownField(
        f"The request has unknown query parameters: {_listed(fields)}.",
        code=ErrorCode.UNKNOWN_PARAMETER,
        fields=fields,
    )


def _listed(names: Iterable[str]) -> str:
    """Join names for an error message. Their number and length are limited, because clients choose the names."""
    return ", ".join(f"'{name[:60]}'" for name in islice(names, _MAX_NAMES_IN_MESSAGE))


def _from_http(error: HttpError) -> SiteError:
    if isinstance(error.__cause__, SiteError):  # raised by our body parser
        return error.__cause__
    if error.status_code == 400 and "parse" in str(error):
        return BadInput(
            "The body is not valid JSON.", code=ErrorCode.MALFORMED_JSON, hint="Send one JSON object in UTF-8."
        )
    return _BY_STATUS.get(error.status_code) or SiteError("The request failed.", code=ErrorCode.REQUEST_FAILED)


def answer_exception(request: HttpRequest, error: Exception | type[Exception]) -> JsonResponse:
    """Return the response for an exception of an operation, and log it if it was not expected."""
    error = error() if isinstance(error, type) else error
    site_error = to_site_error(error)
    if site_error.status >= 500 and not isinstance(error, SiteError):
        _log.error("request_failed", path=request.path, method=request.method, exc_info=error)
    status = error.status_code if isinstance(error, HttpError) else None
    return error_response(request, site_error, status=status)


def shape_error(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Replace an API error response that is not JSON (405, 413 and others), such as one of Django's own, by a response
    in the API's error format."""
    if "json" in response.headers.get("Content-Type", ""):
        return response
    error = _BY_STATUS.get(response.status_code) or SiteError("The site failed unexpectedly.")
    shaped = error_response(request, error, status=response.status_code)
    for name in ("Allow", "Retry-After", "WWW-Authenticate"):
        if name in response.headers:
            shaped.headers[name] = response.headers[name]
    return shaped


@csrf_exempt  # it changes nothing, and a POST to a mistyped path should get 404 instead of a CSRF error
def api_not_found(request: HttpRequest, *_args: Any, **_kwargs: Any) -> JsonResponse:
    return error_response(request, _BY_STATUS[404])


def bad_request(request: HttpRequest, exception: Exception) -> JsonResponse:
    if isinstance(exception, RequestDataTooBig | TooManyFieldsSent):
        return error_response(request, _BY_STATUS[413])
    return error_response(request, _BY_STATUS[400])


def server_error(request: HttpRequest) -> JsonResponse:
    return error_response(request, SiteError("The site failed unexpectedly."))


def csrf_failure(request: HttpRequest, reason: str = "") -> JsonResponse:
    return error_response(request, csrf_error())


def csrf_error() -> NotAllowed:
    return NotAllowed(
        "The request did not carry the site's CSRF token.",
        code=ErrorCode.CSRF_FAILED,
        hint=f"Send the value of the cookie '{settings.CSRF_COOKIE_NAME}' in the header 'X-CSRFToken'. Reload the page"
        " if it is open.",
    )
