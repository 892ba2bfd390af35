"""Middleware for every request of Django: security headers, compression, request ids, errors as JSON, and checks of the
bodies of sign-in requests."""

import re
import uuid
from collections.abc import Callable
from typing import Any, Final

import structlog
from asgiref.sync import iscoroutinefunction
from django.db import DataError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.decorators import sync_and_async_middleware
from django.utils.text import compress_string

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, TooLarge
from agentsite.http.error_responses import error_response, shape_error
from agentsite.http.json_input import read_json, require_plain

DEFAULT_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": (
        "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(),"
        " midi=(), payment=(), usb=()"
    ),
}
DATA_POLICY: Final = "sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""Content security policy of JSON and files, which keeps browsers from running or framing this data and from loading
anything for it."""
DATA_PREFIXES: Final = ("/api/v1/", "/_allauth/")
NO_STORE: Final = "no-store"
MIN_BYTES: Final = 1_400  # what fits one packet is not worth compressing
MAX_RANDOM_BYTES: Final = 100
"""The maximum number of random bytes that are added to a compressed response, so that its length reveals less about
secrets in it (BREACH)."""

_SIGN_IN_PATH: Final = "/_allauth/"
_MAX_SIGN_IN_BYTES: Final = 16_384
_FORM_TYPE: Final = "application/x-www-form-urlencoded"
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_CLIENT_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9_-]{8,64}")

Respond = Callable[[HttpRequest], Any]


def is_data(path: str) -> bool:
    """Return whether the path returns data for programs instead of a page. `path` does not include the site's
    prefix."""
    return path.startswith(DATA_PREFIXES)


def add_security_headers(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Add the missing security headers. Headers that the view has set are kept."""
    for name, value in DEFAULT_HEADERS.items():
        response.headers.setdefault(name, value)
    if is_data(request.path_info):
        response.headers.setdefault("Content-Security-Policy", DATA_POLICY)
        response.headers.setdefault("Cache-Control", NO_STORE)
    return response


def compress_json(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Compress a JSON response with gzip if the client accepts that. Its ETag becomes a weak one.

    Files, streams and pages stay as they are: files are compressed already, and a stream must not wait for a block to
    fill.
    """
    if not isinstance(response, HttpResponse) or request.method == "HEAD" or response.has_header("Content-Encoding"):
        return response
    if "json" not in response.headers.get("Content-Type", "") or len(response.content) < MIN_BYTES:
        return response
    patch_vary_headers(response, ("Accept-Encoding",))
    if "gzip" not in request.headers.get("Accept-Encoding", ""):
        return response
    response.content = compress_string(response.content, max_random_bytes=MAX_RANDOM_BYTES)
    response.headers["Content-Encoding"] = "gzip"
    response.headers["Content-Length"] = str(len(response.content))
    tag = response.headers.get("ETag", "")
    if tag.startswith('"'):
        response.headers["ETag"] = f"W/{tag}"
    return response


@sync_and_async_middleware
def complete_headers(get_response: Respond) -> Respond:
    """Middleware that adds the security headers to every response, whichever layer wrote it, and compresses JSON.

    It encloses all other middleware that may answer a request, and is itself enclosed by the middleware that writes the
    content security policy of pages.
    """
    if iscoroutinefunction(get_response):

        async def respond_later(request: HttpRequest) -> HttpResponseBase:
            return compress_json(request, add_security_headers(request, await get_response(request)))

        return respond_later

    def respond(request: HttpRequest) -> HttpResponseBase:
        return compress_json(request, add_security_headers(request, get_response(request)))

    return respond


def _begin(request: HttpRequest) -> None:
    sent_id = request.headers.get("X-Request-ID", "")
    request_id = sent_id if _CLIENT_REQUEST_ID.fullmatch(sent_id) else uuid.uuid4().hex
    request.request_id = request_id  # type: ignore[attr-defined]
    structlog.contextvars.bind_contextvars(request_id=request_id)


def _refuse_body(request: HttpRequest) -> HttpResponseBase | None:
    """Return the error for a sign-in request with an invalid body; None for all other requests.

    The sign-in routes belong to allauth, which accepts any JSON. Bodies that our interface never sends are refused
    here.
    """
    if not request.path_info.startswith(_SIGN_IN_PATH) or request.method in _SAFE_METHODS:
        return None
    try:
        if len(request.body) > _MAX_SIGN_IN_BYTES:
            return error_response(request, TooLarge("A sign-in request can have at most 16 KiB."))
        if request.content_type == _FORM_TYPE:  # the form that redirects to an identity provider
            require_plain(list(request.POST.values()))
            return None
        body = read_json(request.body or b"{}")
        require_plain(body)
    except BadInput as error:
        return error_response(request, error)
    except ValueError:
        return error_response(request, BadInput("The body is not valid JSON.", code=ErrorCode.MALFORMED_JSON))
    return None if isinstance(body, dict) else error_response(request, BadInput("The body must be a JSON object."))


def _refuse_failure(request: HttpRequest, error: Exception) -> HttpResponseBase | None:
    """Return an error for a sign-in request with a number outside the range of the database; None for other errors.

    The sign-in forms do not check the range of numbers.
    """
    if request.path_info.startswith(_SIGN_IN_PATH) and isinstance(error, OverflowError | DataError):
        return error_response(request, BadInput("The request contains a number that is too large."))
    return None


def _finish(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    if response.status_code >= 400 and request.path_info.startswith("/api/"):
        response = shape_error(request, response)
    response.headers["X-Request-ID"] = request.request_id  # type: ignore[attr-defined]
    structlog.contextvars.unbind_contextvars("request_id")
    return response


@sync_and_async_middleware
def observe_request(get_response: Respond) -> Respond:
    """Middleware that assigns the request id, refuses invalid bodies of sign-in requests, and gives API errors their
    JSON shape."""
    if iscoroutinefunction(get_response):

        async def respond_later(request: HttpRequest) -> HttpResponseBase:
            _begin(request)
            refusal = _refuse_body(request)
            return _finish(request, refusal or await get_response(request))

        respond_later.process_exception = _refuse_failure  # type: ignore[attr-defined]
        return respond_later

    def respond(request: HttpRequest) -> HttpResponseBase:
        _begin(request)
        return _finish(request, _refuse_body(request) or get_response(request))

    respond.process_exception = _refuse_failure  # type: ignore[attr-defined]
    return respond
