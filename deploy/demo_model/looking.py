"""What files a message brings, and what there is to say of them: their kind and size, no more. Pure.

That is all the seeing that the demo model does. It proves that a picture went all the way: the bytes are measured here.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from deploy.demo_model import texts
from tools_app.media import recognise

FROM_TOOLS: Final = "Files that the tool calls above attached:"
LABEL: Final = re.compile(r"Attached (?:picture|PDF) (.+) \(att_\w+\):")
TEXT: Final = re.compile(r"Attached file (?P<name>[^\n]+) \(att_\w+\):\n<file>\n(?P<text>.*?)\n</file>", re.DOTALL)
HIDDEN: Final = re.compile(r"\(Attached: the (?P<what>[^\n]+? \([^)\n]+\))\.")
BEHIND: Final = re.compile(r"(?:^|\n+)(?:Attached (?:picture|PDF|file) [^\n]+:|\(Attached: |<reminder>\n)")
ASKED: Final = re.compile(
    r"(?i)\b(?:look(?! for)|describe|pictures?|images?|photos?|screenshots?|pdfs?|documents?|attach\w*|what is)\b"
)


@dataclass(frozen=True, slots=True)
class Seen:
    """One file, and a sentence about it."""

    name: str
    sentence: str


def parts_of(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [part for part in content if isinstance(part, Mapping)] if isinstance(content, list) else []


def is_from_tools(message: Mapping[str, Any]) -> bool:
    """A user message that nobody said: it brings what tool results attached."""
    return any(str(part.get("text", "")).startswith(FROM_TOOLS) for part in parts_of(message)[:1])


def own_words(text: str) -> str:
    """What a person said, without the files and the site's reminders that stand behind it."""
    found = BEHIND.search(text)
    return text[: found.start()] if found else text


def files_of(message: Mapping[str, Any]) -> Iterator[Seen]:
    label = ""
    for part in parts_of(message):
        text = str(part.get("text", ""))
        yield from _texts(text)
        if found := LABEL.fullmatch(text):
            label = found[1]
        elif part.get("type") == "image_url":
            yield _measured(label or "a picture", _mapping(part.get("image_url")).get("url"))
            label = ""
        elif part.get("type") == "file":
            file = _mapping(part.get("file"))
            yield _measured(label or str(file.get("filename") or "a file"), file.get("file_data"))
            label = ""


def told(files: Sequence[Seen]) -> str:
    return texts.GIVEN.format(files="\n".join(f"- {file.sentence}" for file in files))


def _texts(text: str) -> Iterator[Seen]:
    for found in TEXT.finditer(text):
        lines = found["text"].count("\n") + 1
        yield Seen(found["name"], f"`{found['name']}`: text, {lines} line{'' if lines == 1 else 's'}")
    for found in HIDDEN.finditer(text):
        yield Seen(found["what"], f"{found['what']}: I was told of it, and not shown it")


def _measured(name: str, url: Any) -> Seen:
    content = _decoded(url)
    media = recognise(content) if content is not None else None
    if content is None or media is None:
        return Seen(name, f"`{name}`: something that I cannot make out")
    pixels = f", {media.width} x {media.height} pixels" if media.width else ""
    return Seen(name, f"`{name}`: {media.media_type}{pixels}, {len(content):,} bytes")


def _decoded(url: Any) -> bytes | None:
    head, comma, data = str(url).partition(",")
    if not comma or not head.endswith(";base64"):
        return None
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
