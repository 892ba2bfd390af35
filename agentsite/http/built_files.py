"""Serve the built interface, and the static files of the API documentation and the operator pages.

A page loads about twenty of these files. They need no session and no route, so they are served before Django and its
middleware, which would use 5 ms of CPU for each.
"""

import warnings
from collections.abc import Iterable, MutableMapping
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import ninja
from csp.utils import build_policy
from django.conf import settings
from django.contrib import admin
from django.core.handlers.asgi import ASGIRequest
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile

from agentsite.http.asgi import Application, Receive, Send, encoded
from agentsite.http.middleware import DEFAULT_HEADERS

_CHUNK_BYTES: Final = 256 << 10


class BuiltFiles:
    """ASGI middleware for HTTP that answers requests for static files with the security headers of all pages.

    Requests without TLS that have to be redirected, and addresses without a file, go to the application.
    """

    def __init__(self, application: Application) -> None:
        self._application = application
        self._files = _FileMap()
        self._headers = encoded({**DEFAULT_HEADERS, "Content-Security-Policy": build_policy()})

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        file = request = None
        if self._files.static_prefix in scope["path"]:  # other requests are built by Django only
            request = ASGIRequest(scope, BytesIO())
            file = self._files.find(request.path_info)
        if file is None or request is None or (settings.SECURE_SSL_REDIRECT and not request.is_secure()):
            await self._application(scope, receive, send)
            return
        found = file.get_response(request.method, request.META)
        headers = [*self._headers, *_transport_headers(request), *encoded(dict(found.headers))]
        await send({"type": "http.response.start", "status": int(found.status), "headers": headers})
        for chunk in _chunks(found.file):
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


class _FileMap(WhiteNoiseMiddleware):  # type: ignore[misc]  # untyped library
    """The static files by URL. The size, ETag and compressed variants of each file are read once."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            # Ignore the warning about a missing folder: `show_interface` tells which command builds it.
            warnings.simplefilter("ignore")
            super().__init__(None)
        for library in (ninja, admin):
            self.add_files(str(Path(str(library.__file__)).parent / "static"), prefix=self.static_prefix)
        self.add_files(str(Path(__file__).parents[1] / "static"), prefix=self.static_prefix)

    def find(self, path: str) -> StaticFile | None:
        found: StaticFile | None = self.find_file(path) if self.autorefresh else self.files.get(path)
        return found


def _transport_headers(request: ASGIRequest) -> list[tuple[bytes, bytes]]:
    if not settings.SECURE_HSTS_SECONDS or not request.is_secure():
        return []
    return encoded({"Strict-Transport-Security": f"max-age={settings.SECURE_HSTS_SECONDS}"})


def _chunks(file: Any) -> Iterable[bytes]:
    """Yield the content of an open file in chunks, then close the file; nothing if `file` is None."""
    if file is None:
        return
    with closing(file):
        while chunk := file.read(_CHUNK_BYTES):
            yield chunk
