"""Compress JSON for clients that accept it. Files, streams and pages are sent as they are: the web server in front or
the files themselves are compressed already, and a stream must not wait for a block to fill."""

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.text import compress_string

MIN_BYTES: Final = 1_400  # what fits one packet is not worth compressing
MAX_RANDOM_BYTES: Final = 100
"""A random number of bytes up to this is added, so that the length says less about secrets in a response (BREACH)."""


def compress_json(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Compress a JSON response with gzip if the client accepts that. Its ETag becomes a weak one."""
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
