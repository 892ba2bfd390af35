"""ETags: whether an answer is still the same (`If-None-Match`), and whether what one edits is (`If-Match`).

A tag is `"edition.content"`. The content is a digest of the whole answer. The edition changes only with what people
edit, so that a session at work, whose counters change all the time, can still be renamed by who looked at it a moment
ago: `If-Match` compares versions, `If-None-Match` whole tags.
"""

import hashlib
import re
from collections.abc import Container
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.http.response import HttpResponseBase
from django.utils.http import parse_etags

from agentsite.base.errors import Changed

TAGGED: Final = frozenset({"GET", "HEAD", "PATCH", "PUT"})
_OURS: Final = re.compile(r'(?:W/)?"([0-9a-f]{1,32})\.[0-9a-f]{1,64}"')


def version_tag(*values: Any) -> str:
    """A short digest of what people edit in a thing."""
    return hashlib.sha256(repr(values).encode()).hexdigest()[:16]


def set_version(request: HttpRequest, edition: str) -> None:
    """The answer to this request shows that edition."""
    request.edition = edition  # type: ignore[attr-defined]


def accepted_versions(request: HttpRequest) -> frozenset[str] | None:
    """The versions that the request insists on; None when it takes any."""
    header = request.headers.get("If-Match")
    if header is None or header.strip() == "*":
        return None
    matches = (_OURS.fullmatch(tag) for tag in parse_etags(header))
    return frozenset(match[1] for match in matches if match)


def require_version(wanted: Container[str] | None, present: str) -> None:
    """Asked under the lock of the row. Raises Changed when somebody was faster."""
    if wanted is not None and present not in wanted:
        raise Changed("Somebody changed this since you looked at it.")


def add_etag(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """The answer with its tag, or 304 when the request shows that it has this answer already."""
    if request.method not in TAGGED or response.status_code != 200 or not isinstance(response, HttpResponse):
        return response
    if response.has_header("ETag") or "json" not in response.headers.get("Content-Type", ""):
        return response
    content = hashlib.sha256(response.content).hexdigest()[:32]
    tag = f'"{getattr(request, "edition", content[:16])}.{content}"'
    if request.method == "GET" and not {tag, "*"}.isdisjoint(given.removeprefix("W/") for given in _given(request)):
        kept = {name: value for name, value in response.headers.items() if name.startswith("RateLimit")}
        response = HttpResponseNotModified(headers=kept)
    response.headers["ETag"] = tag
    return response


def _given(request: HttpRequest) -> list[str]:
    return parse_etags(request.headers.get("If-None-Match", ""))
