"""Recognise pictures (with their size in pixels) and PDF files by their first bytes. Pure; nothing is decoded."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

_PNG: Final = b"\x89PNG\r\n\x1a\n"
_GIFS: Final = (b"GIF87a", b"GIF89a")
_JPEG: Final = b"\xff\xd8\xff"
_NO_LENGTH: Final = frozenset((0x01, *range(0xD0, 0xD8)))  # JPEG markers without a length and data
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # JPEG frame markers, which the size follows
_WEBP_LOSSY_START: Final = b"\x9d\x01\x2a"


@dataclass(frozen=True, slots=True)
class Media:
    """A media type. `width` and `height` are in pixels; 0 for files that are not pictures."""

    media_type: str
    width: int = 0
    height: int = 0

    @property
    def kind(self) -> str:
        """The kind of the media type: `image`, `pdf` or `text`."""
        return kind_of(self.media_type)


def kind_of(media_type: str) -> str:
    """Return the kind of a media type: `image`, `pdf` or `text`."""
    if media_type.startswith("image/"):
        return "image"
    return "pdf" if media_type == "application/pdf" else "text"


def recognise(content: bytes) -> Media | None:
    """Return the type of a PNG, JPEG, GIF or WebP picture or of a PDF file, by its content; None for other files."""
    for media_type, measure in _PICTURES:
        if size := measure(content):
            return Media(media_type, *size)
    return Media("application/pdf") if content[:1024].lstrip().startswith(b"%PDF-") else None


_Size = tuple[int, int] | None


def _png(content: bytes) -> _Size:
    if not content.startswith(_PNG) or content[12:16] != b"IHDR":
        return None
    return _size(_big(content[16:20]), _big(content[20:24]))


def _gif(content: bytes) -> _Size:
    return _size(_little(content[6:8]), _little(content[8:10])) if content.startswith(_GIFS) else None


def _jpeg(content: bytes) -> _Size:
    """Return the size of a JPEG picture from its first frame header, skipping all segments before it, such as EXIF with
    a preview."""
    if not content.startswith(_JPEG):
        return None
    place = 2
    while place + 9 <= len(content) and content[place] == 0xFF:
        marker = content[place + 1]
        if marker in _FRAMES:
            return _size(_big(content[place + 7 : place + 9]), _big(content[place + 5 : place + 7]))
        if marker == 0xFF:
            place += 1
        elif marker in _NO_LENGTH:
            place += 2
        else:
            place += 2 + max(2, _big(content[place + 2 : place + 4]))
    return None


def _webp(content: bytes) -> _Size:
    if content[:4] != b"RIFF" or content[8:12] != b"WEBP":
        return None
    form = content[12:16]
    if form == b"VP8X":
        return _size(_little(content[24:27]) + 1, _little(content[27:30]) + 1)
    if form == b"VP8L" and content[20:21] == b"\x2f":
        bits = _little(content[21:25])
        return _size((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    if form == b"VP8 " and content[23:26] == _WEBP_LOSSY_START:
        return _size(_little(content[26:28]) & 0x3FFF, _little(content[28:30]) & 0x3FFF)
    return None


def _size(width: int, height: int) -> _Size:
    return (width, height) if width and height else None


def _big(piece: bytes) -> int:
    return int.from_bytes(piece, "big")


def _little(piece: bytes) -> int:
    return int.from_bytes(piece, "little")


_PICTURES: Final[tuple[tuple[str, Callable[[bytes], _Size]], ...]] = (
    ("image/png", _png),
    ("image/jpeg", _jpeg),
    ("image/gif", _gif),
    ("image/webp", _webp),
)
