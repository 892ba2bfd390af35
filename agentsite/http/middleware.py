"""What surrounds every request: an id that logs and error answers share, one error shape, and the built files."""

import re
import uuid
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import ninja
import structlog
from asgiref.sync import iscoroutinefunction
from django.contrib import admin
from django.db import DataError
from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware
from whitenoise.middleware import WhiteNoiseMiddleware

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, TooLarge
from agentsite.http.error_responses import answer_status, error_response
from agentsite.http.json_input import read_json, require_plain

_SIGN_IN: Final = "/_allauth/"
_SIGN_IN_LIMIT: Final = 16_384  # bytes
_FORM: Final = "application/x-www-form-urlencoded"
_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_GIVEN_ID: Final = re.compile(r"[A-Za-z0-9_-]{8,64}")

Respond = Callable[[HttpRequest], Any]


def _begin(request: HttpRequest) -> None:
    given = request.headers.get("X-Request-ID", "")
    request_id = given if _GIVEN_ID.fullmatch(given) else uuid.uuid4().hex
    request.request_id = request_id  # type: ignore[attr-defined]
    structlog.contextvars.bind_contextvars(request_id=request_id)


def _refuse_body(request: HttpRequest) -> HttpResponseBase | None:
    """Sign-in is somebody else's code, which takes any JSON it is given: what no form of ours sends ends here."""
    if not request.path_info.startswith(_SIGN_IN) or request.method in _READING:
        return None
    try:
        if len(request.body) > _SIGN_IN_LIMIT:
            return error_response(request, TooLarge("A sign-in request may have 16 KiB."))
        if request.content_type == _FORM:  # how a browser leaves for a provider of identities
            require_plain(list(request.POST.values()))
            return None
        body = read_json(request.body or b"{}")
        require_plain(body)
    except BadInput as error:
        return error_response(request, error)
    except ValueError:
        return error_response(request, BadInput("The body is not valid JSON.", code=ErrorCode.MALFORMED_JSON))
    return None if isinstance(body, dict) else error_response(request, BadInput("The body is not a JSON object."))


def _refuse_failure(request: HttpRequest, error: Exception) -> HttpResponseBase | None:
    """Numbers that no database holds, in a form that does not look."""
    if request.path_info.startswith(_SIGN_IN) and isinstance(error, OverflowError | DataError):
        return error_response(request, BadInput("The request holds a number that is too large."))
    return None


def _finish(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    if request.path_info.startswith("/api/"):
        response = answer_status(request, response)
    response.headers["X-Request-ID"] = request.request_id  # type: ignore[attr-defined]
    structlog.contextvars.unbind_contextvars("request_id")
    return response


@sync_and_async_middleware
def observe_request(get_response: Respond) -> Respond:
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


class BuiltFiles(WhiteNoiseMiddleware):
    """The built interface, and beside it what comes with libraries: scripts and styles of the API's documentation
    page and of the operators' pages."""

    def __init__(self, get_response: Respond) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a folder that is not there: the interface says itself what to run
            super().__init__(get_response)
        for library in (ninja, admin):
            self.add_files(str(Path(str(library.__file__)).parent / "static"), prefix=self.static_prefix)
        self.add_files(str(Path(__file__).parents[1] / "static"), prefix=self.static_prefix)
