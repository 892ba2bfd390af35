"""Which files may go with a prompt or a result: pictures, PDF and text, by content and not by name. Pure."""

import unicodedata
from typing import Final

from tools_app.filekinds import attached_type, is_binary
from tools_app.media import Media, recognise

LARGEST: Final = {"image": 3_932_160, "pdf": 10_485_760, "text": 5_242_880}
"""Bytes. A picture of this size has 5 MiB in base64, the most that Anthropic's API takes of one; a PDF travels whole
with every request; of a text only the beginning does, and the rest is there to be read."""
LARGEST_SIDE: Final = 8000  # pixels; more is refused by Anthropic's API
LONGEST_NAME: Final = 200

_NAMES: Final = {"image": "A picture", "pdf": "A PDF", "text": "A text"}


class NotAttachable(Exception):
    """`message` is a plain sentence for whoever wanted to attach it, `hint` what to do instead."""

    def __init__(self, message: str, hint: str, *, too_large: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.too_large = too_large


def inspect(name: str, content: bytes) -> Media:
    """What it is. Raises NotAttachable for what is empty, too large, or of no use to a model."""
    if not content:
        raise NotAttachable(f"{name} is empty.", "Attach a file that has something in it.")
    media = recognise(content) or _text(name, content)
    check_size(name, media.media_type, len(content))
    if max(media.width, media.height) > LARGEST_SIDE:
        raise NotAttachable(
            f"{name} has {media.width} x {media.height} pixels; a picture may have {LARGEST_SIDE:,} on each side.",
            "Make a smaller copy of it and attach that.",
            too_large=True,
        )
    return media


def check_size(name: str, media_type: str, size: int) -> None:
    """Raises NotAttachable when a file of this kind may not have so many bytes."""
    kind = Media(media_type).kind
    if size > LARGEST[kind]:
        raise NotAttachable(
            f"{name} has {size:,} bytes. {_NAMES[kind]} may have {LARGEST[kind]:,}.",
            "Make a smaller copy of it, or take a part of it.",
            too_large=True,
        )


def _text(name: str, content: bytes) -> Media:
    if claimed := attached_type(name):
        raise NotAttachable(
            f"{name} is called a file of type {claimed}, and what is in it is no such thing.",
            "Save it anew from the program that made it.",
        )
    if is_binary(name, content):
        raise NotAttachable(
            f"{name} is neither a picture (PNG, JPEG, GIF, WebP) nor a PDF nor a text.",
            "Convert it to one of these, or put it into the workspace.",
        )
    return Media("text/plain")


def clean_name(name: str) -> str:
    """The file's name alone, without what is not shown or turns the direction of writing around."""
    base = name.replace("\\", "/").rpartition("/")[2]
    shown = "".join(" " if char.isspace() else char for char in base if unicodedata.category(char)[0] != "C")
    return " ".join(shown.split())[:LONGEST_NAME] or "file"
