"""Find the files in a message and describe each by its type and size. Pure functions.

The demo model cannot interpret a file. It measures the bytes that arrived, which proves that the whole file was sent.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from deploy.demo_model import texts
from tools_app.media import recognise

# These texts and patterns must match what sessions_app writes into messages.
TOOL_FILES_PREFIX: Final = "Files that the tool calls above attached:"
FILE_LABEL: Final = re.compile(r"Attached (?:picture|PDF) (.+) \(att_\w+\):")
TEXT_FILE: Final = re.compile(r"Attached file (?P<name>[^\n]+) \(att_\w+\):\n<file>\n(?P<text>.*?)\n</file>", re.DOTALL)
UNSEEN_FILE: Final = re.compile(r"\(Attached: the (?P<what>[^\n]+? \([^)\n]+\))\.")
ATTACHMENTS_START: Final = re.compile(r"(?:^|\n+)(?:Attached (?:picture|PDF|file) [^\n]+:|\(Attached: |<reminder>\n)")
ASKS_ABOUT_FILES: Final = re.compile(
    r"(?i)\b(?:look(?! for)|describe|pictures?|images?|photos?|screenshots?|pdfs?|documents?|attach\w*|what is)\b"
)


@dataclass(frozen=True, slots=True)
class SeenFile:
    """A file of a message, with a sentence that describes it."""

    name: str
    sentence: str


def parts_of(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the parts of a message; a plain text counts as one text part."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [part for part in content if isinstance(part, Mapping)] if isinstance(content, list) else []


def is_from_tools(message: Mapping[str, Any]) -> bool:
    """Return whether the site added this user message to pass on the files of tool results."""
    return any(str(part.get("text", "")).startswith(TOOL_FILES_PREFIX) for part in parts_of(message)[:1])


def without_attachments(text: str) -> str:
    """Return the text that a person wrote, without the files and reminders that the site appended."""
    found = ATTACHMENTS_START.search(text)
    return text[: found.start()] if found else text


def files_of(message: Mapping[str, Any]) -> Iterator[SeenFile]:
    """Yield the files of a message. The text part before a file is its label."""
    label = ""
    for part in parts_of(message):
        text = str(part.get("text", ""))
        yield from _text_files(text)
        if found := FILE_LABEL.fullmatch(text):
            label = found[1]
        elif part.get("type") == "image_url":
            yield _measured(label or "a picture", _mapping(part.get("image_url")).get("url"))
            label = ""
        elif part.get("type") == "file":
            file = _mapping(part.get("file"))
            yield _measured(label or str(file.get("filename") or "a file"), file.get("file_data"))
            label = ""


def describe(files: Sequence[SeenFile]) -> str:
    return texts.FILES_SHOWN.format(files="\n".join(f"- {file.sentence}" for file in files))


def _text_files(text: str) -> Iterator[SeenFile]:
    for found in TEXT_FILE.finditer(text):
        lines = found["text"].count("\n") + 1
        yield SeenFile(found["name"], f"`{found['name']}`: text, {lines} line{'' if lines == 1 else 's'}")
    for found in UNSEEN_FILE.finditer(text):
        yield SeenFile(found["what"], f"{found['what']}: this site told me about it, but did not show it to me")


def _measured(name: str, url: Any) -> SeenFile:
    content = _decoded(url)
    media = recognise(content) if content is not None else None
    if content is None or media is None:
        return SeenFile(name, f"`{name}`: I cannot recognise this file")
    pixels = f", {media.width} x {media.height} pixels" if media.width else ""
    return SeenFile(name, f"`{name}`: {media.media_type}{pixels}, {len(content):,} bytes")


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
