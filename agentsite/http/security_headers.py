"""Security headers that every response carries, whichever layer wrote it."""

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
"""Content security policy of JSON and files: browsers run, load and frame nothing of them."""
DATA_PREFIXES: Final = ("/api/v1/", "/_allauth/")
NO_STORE: Final = "no-store"

Respond = Callable[[HttpRequest], Any]


def is_data(path: str) -> bool:
    """Return whether the path returns data for programs, not a page. `path` does not include the site's prefix."""
    return path.startswith(DATA_PREFIXES)


def complete(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Add the missing headers. Headers that the view has set are kept."""
    for name, value in DEFAULT_HEADERS.items():
        response.headers.setdefault(name, value)
    if is_data(request.path_info):
        response.headers.setdefault("Content-Security-Policy", DATA_POLICY)
        response.headers.setdefault("Cache-Control", NO_STORE)
    return response


@sync_and_async_middleware
def complete_headers(get_response: Respond) -> Respond:
    """Middleware that adds the headers.

    It is placed outside all other middleware that may answer a request, next to the one that writes the content
    security policy of pages.
    """
    if iscoroutinefunction(get_response):

        async def respond_later(request: HttpRequest) -> HttpResponseBase:
            return complete(request, await get_response(request))

        return respond_later

    def respond(request: HttpRequest) -> HttpResponseBase:
        return complete(request, get_response(request))

    return respond
