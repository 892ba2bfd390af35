"""Determine which files can be attached to a prompt or a result: pictures, PDF and text, by content and not by name.
Pure."""

import unicodedata
from typing import Final

from tools_app.filekinds import attached_type, is_binary
from tools_app.media import Media, recognise

MAX_BYTES: Final = {"image": 3_932_160, "pdf": 10_485_760, "text": 5_242_880}
"""By kind. A picture of this size has 5 MiB in base64, the most that Anthropic's API accepts for one. A PDF is sent
whole with every request. Of a text only the beginning is sent; the tool `read` shows the rest."""
MAX_SIDE_PIXELS: Final = 8000  # Anthropic's API refuses larger pictures
MAX_NAME_CHARACTERS: Final = 200

_NAMES: Final = {"image": "A picture", "pdf": "A PDF", "text": "A text"}


class NotAttachable(Exception):
    """The file cannot be attached: `message` says why, `hint` says what to do instead."""

    def __init__(self, message: str, hint: str, *, too_large: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.too_large = too_large


def inspect(name: str, content: bytes) -> Media:
    """Return the type of a file, from its content.

    Raises NotAttachable if the file is empty, too large, or of a type that models cannot use.
    """
    if not content:
        raise NotAttachable(f"{name} is empty.", "Attach a file that is not empty.")
    media = recognise(content) or _text(name, content)
    check_size(name, media.media_type, len(content))
    if max(media.width, media.height) > MAX_SIDE_PIXELS:
        raise NotAttachable(
            f"{name} has {media.width} x {media.height} pixels; a picture may have at most {MAX_SIDE_PIXELS:,} a side.",
            "Make a smaller copy of it and attach that.",
            too_large=True,
        )
    return media


def check_size(name: str, media_type: str, size: int) -> None:
    """Raise NotAttachable if `size` (in bytes) exceeds the limit for files of this media type."""
    kind = Media(media_type).kind
    if size > MAX_BYTES[kind]:
        raise NotAttachable(
            f"{name} has {size:,} bytes. {_NAMES[kind]} may have at most {MAX_BYTES[kind]:,}.",
            "Make a smaller copy of it, or attach a part of it.",
            too_large=True,
        )


def _text(name: str, content: bytes) -> Media:
    if claimed := attached_type(name):
        raise NotAttachable(
            f"{name} is named like a file of type {claimed}, but its content is of another type.",
            "Save it again from the program that created it.",
        )
    if is_binary(name, content):
        raise NotAttachable(
            f"{name} is neither a picture (PNG, JPEG, GIF, WebP) nor a PDF nor a text.",
            "Convert it to one of these, or put it into the workspace.",
        )
    return Media("text/plain")


def clean_name(name: str) -> str:
    """Return the file's base name without control characters, including those that change the text direction."""
    base = name.replace("\\", "/").rpartition("/")[2]
    shown = "".join(" " if char.isspace() else char for char in base if unicodedata.category(char)[0] != "C")
    return " ".join(shown.split())[:MAX_NAME_CHARACTERS] or "file"
