"""media_of(): the media type of a response, from its Content-Type and its first bytes."""

from dataclasses import dataclass
from typing import Final, Literal

from tools_app.web.guarded.convert import HTML_TYPES
from tools_app.web.guarded.exchange import PageResponse

SNIFFED_BYTES: Final = 4096  # searched to tell text from binary data
_TEXT_TYPES: Final = frozenset(
    {
        "application/json", "application/xml", "application/javascript", "application/ecmascript", "application/toml",
        "application/yaml", "application/x-yaml", "application/x-sh", "application/sql", "application/x-ndjson",
        "application/graphql", "application/x-httpd-php", "application/typescript", "image/svg+xml",
    }
)  # fmt: skip
_SIGNATURES: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
)


@dataclass(frozen=True, slots=True)
class Media:
    """A media type. `form` "file": an image or PDF to attach unchanged; "other": a type that a model cannot read."""

    type: str
    form: Literal["text", "file", "other"]


def media_of(answer: PageResponse) -> Media:
    """Return the type of a response. Images and PDFs are recognised by their first bytes, whatever their Content-Type.

    Without a useful Content-Type, the beginning of the body decides between text and other types.
    """
    sniffed = _signature(answer.body)
    if sniffed:
        return Media(sniffed, "file")
    named = answer.media_type
    if named in HTML_TYPES or named in _TEXT_TYPES or named.endswith(("+json", "+xml")):
        return Media(named, "text")
    if named.startswith("text/") or named in ("", "application/octet-stream"):
        return _sniffed(answer.body, named)
    return Media(named, "other")


def _signature(body: bytes) -> str:
    if body[:4] == b"RIFF" and body[8:12] == b"WEBP":
        return "image/webp"
    return next((name for start, name in _SIGNATURES if body.startswith(start)), "")


def _sniffed(body: bytes, named: str) -> Media:
    start = body[:SNIFFED_BYTES]
    if b"\0" in start and start[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        return Media(named or "application/octet-stream", "other")
    if named.startswith("text/"):
        return Media(named, "text")
    is_page = start.lstrip()[:15].lower().startswith((b"<!doctype html", b"<html"))
    return Media("text/html" if is_page else "text/plain", "text")
