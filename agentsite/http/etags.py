"""ETags: answer 304 to unchanged reads (`If-None-Match`), and refuse changes of outdated objects (`If-Match`).

A tag is `"version.content"`. The content is a digest of the whole response. The version changes only with the fields
that people edit. `If-Match` compares versions and `If-None-Match` whole tags, so a session whose counters change all
the time can still be renamed by a client that has read it a moment ago.
"""

import hashlib
import re
from collections.abc import Container
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.http.response import HttpResponseBase
from django.utils.http import parse_etags

from agentsite.base.errors import Changed

METHODS_WITH_ETAG: Final = frozenset({"GET", "HEAD", "PATCH", "PUT"})
_TAG_PATTERN: Final = re.compile(r'(?:W/)?"([0-9a-f]{1,32})\.[0-9a-f]{1,64}"')


def version_tag(*values: Any) -> str:
    """Return the version part of an ETag: a short digest of the values that people edit in an object."""
    return hashlib.sha256(repr(values).encode()).hexdigest()[:16]


def set_version(request: HttpRequest, version: str) -> None:
    """Store the object's version on the request; `add_etag` puts it into the ETag of the response."""
    request.version_tag = version  # type: ignore[attr-defined]


def accepted_versions(request: HttpRequest) -> frozenset[str] | None:
    """Return the versions that `If-Match` accepts; None if the request accepts every version."""
    header = request.headers.get("If-Match")
    if header is None or header.strip() == "*":
        return None
    matches = (_TAG_PATTERN.fullmatch(tag) for tag in parse_etags(header))
    return frozenset(match[1] for match in matches if match)


def require_version(accepted: Container[str] | None, current: str) -> None:
    """Raise Changed unless the current version is one of the accepted versions. Call it while the row is locked."""
    if accepted is not None and current not in accepted:
        raise Changed("Somebody else has changed this since you read it.")


def add_etag(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Return the response with its ETag, or a 304 if the client already has this response. Call it for
    METHODS_WITH_ETAG only."""
    if response.status_code != 200 or not isinstance(response, HttpResponse):
        return response
    if response.has_header("ETag") or "json" not in response.headers.get("Content-Type", ""):
        return response
    content = hashlib.sha256(response.content).hexdigest()[:32]
    tag = f'"{getattr(request, "version_tag", content[:16])}.{content}"'
    if request.method == "GET" and not {tag, "*"}.isdisjoint(
        sent.removeprefix("W/") for sent in _if_none_match(request)
    ):
        kept = {name: value for name, value in response.headers.items() if name.startswith("RateLimit")}
        response = HttpResponseNotModified(headers=kept)
    response.headers["ETag"] = tag
    return response


def _if_none_match(request: HttpRequest) -> list[str]:
    return parse_etags(request.headers.get("If-None-Match", ""))
