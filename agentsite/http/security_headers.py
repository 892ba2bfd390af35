"""The headers that every answer carries, whichever layer wrote it: what browsers may do with it is one table."""

from collections.abc import Callable
from typing import Any, Final

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

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
"""For what is no page of ours, such as JSON and files: nothing of it runs, loads, or is framed in our name."""
DATA_PREFIXES: Final = ("/api/v1/", "/_allauth/")
NO_STORE: Final = "no-store"

Respond = Callable[[HttpRequest], Any]


def is_data(path: str) -> bool:
    """Whether programs are answered there, and no person looks at a page. `path` is without the site's prefix."""
    return path.startswith(DATA_PREFIXES)


def complete(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Add what is missing; a view that knows better has said so."""
    for name, value in DEFAULT_HEADERS.items():
        response.headers.setdefault(name, value)
    if is_data(request.path_info):
        response.headers.setdefault("Content-Security-Policy", DATA_POLICY)
        response.headers.setdefault("Cache-Control", NO_STORE)
    return response


@sync_and_async_middleware
def complete_headers(get_response: Respond) -> Respond:
    """Next to the content security policy of pages, and around everything that may answer."""
    if iscoroutinefunction(get_response):

        async def respond_later(request: HttpRequest) -> HttpResponseBase:
            return complete(request, await get_response(request))

        return respond_later

    def respond(request: HttpRequest) -> HttpResponseBase:
        return complete(request, get_response(request))

    return respond
