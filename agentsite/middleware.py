"""What surrounds every request: an id that logs and error answers share, one error shape, and the built files."""

import re
import uuid
import warnings
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

import ninja
import structlog
from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware
from whitenoise.middleware import WhiteNoiseMiddleware

from agentsite.errors_http import answer_status

_GIVEN_ID: Final = re.compile(r"[A-Za-z0-9_-]{8,64}")

Respond = Callable[[HttpRequest], Any]


def _begin(request: HttpRequest) -> None:
    given = request.headers.get("X-Request-ID", "")
    request_id = given if _GIVEN_ID.fullmatch(given) else uuid.uuid4().hex
    request.request_id = request_id  # type: ignore[attr-defined]
    structlog.contextvars.bind_contextvars(request_id=request_id)


def _finish(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    if request.path.startswith("/api/"):
        response = answer_status(request, response)
        response.headers.setdefault("Cache-Control", "no-store")
    response.headers["X-Request-ID"] = request.request_id  # type: ignore[attr-defined]
    structlog.contextvars.unbind_contextvars("request_id")
    return response


@sync_and_async_middleware
def observe_request(get_response: Respond) -> Respond:
    if iscoroutinefunction(get_response):

        async def respond_later(request: HttpRequest) -> HttpResponseBase:
            _begin(request)
            answer: Awaitable[HttpResponseBase] = get_response(request)
            return _finish(request, await answer)

        return respond_later

    def respond(request: HttpRequest) -> HttpResponseBase:
        _begin(request)
        return _finish(request, get_response(request))

    return respond


class BuiltFiles(WhiteNoiseMiddleware):
    """The built interface, and beside it the scripts of the API's documentation page, which come with ninja."""

    def __init__(self, get_response: Respond) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a folder that is not there: the interface says itself what to run
            super().__init__(get_response)
        self.add_files(str(Path(ninja.__file__).parent / "static"), prefix=self.static_prefix)
