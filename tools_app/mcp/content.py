"""Turn the answer of an MCP server into a tool result: text for the model, files as attachments.

The answer is hostile data of any size. Pictures, sounds and other files are stored like those of every tool: their type
is determined from their content.
"""

import base64
import binascii
import json
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tools_app.spec import FileStore, ToolError
from tools_app.text import clean

MAX_BLOCKS: Final = 200
MAX_STORED_FILES: Final = 10  # of one answer
MAX_STRUCTURED_CHARACTERS: Final = 20_000  # kept for people; the model gets all of it, truncated like every output
MAX_ERROR_CHARACTERS: Final = 8_000
NOTHING: Final = "The tool answered without content."


@dataclass(slots=True)
class Answer:
    """The parts of an MCP server's answer to a call. Each list has the order of the answer."""

    texts: list[str] = field(default_factory=list)
    attachments: list[Mapping[str, Any]] = field(default_factory=list)
    links: list[dict[str, str]] = field(default_factory=list)
    structured: Any = None

    @property
    def output(self) -> str:
        return "\n\n".join(text for text in self.texts if text) or NOTHING


async def read_answer(answer: Mapping[str, Any], files: FileStore) -> Answer:
    """Return the parts of an MCP server's answer to a call. Raises ToolError with the server's message if the call
    failed."""
    blocks = answer.get("content")
    blocks = blocks if isinstance(blocks, list) else []
    found = Answer(structured=answer.get("structuredContent"))
    for block in blocks[:MAX_BLOCKS]:
        if isinstance(block, Mapping):
            await _add_block(found, block, files)
    if len(blocks) > MAX_BLOCKS:
        found.texts.append(f"({len(blocks) - MAX_BLOCKS:,} more parts of the answer are left out.)")
    if found.structured is not None and not any(found.texts):
        found.texts.append(json.dumps(found.structured, indent=2, ensure_ascii=False))
    if answer.get("isError") is True:
        raise ToolError(f"The server answered with an error: {found.output[:MAX_ERROR_CHARACTERS]}")
    return found


def shown_structure(structured: Any) -> Any:
    """Return structured content for people, or a sentence if it is too large to keep with the call."""
    if structured is None or len(json.dumps(structured)) <= MAX_STRUCTURED_CHARACTERS:
        return structured
    return f"(more than {MAX_STRUCTURED_CHARACTERS:,} characters)"


async def _add_block(found: Answer, block: Mapping[str, Any], files: FileStore) -> None:
    match block.get("type"):
        case "text":
            found.texts.append(_text(block.get("text")))
        case "image" | "audio" as kind:
            await _add_file(found, str(kind), block, block.get("data"), files)
        case "resource":
            await _add_resource(found, block.get("resource"), files)
        case "resource_link":
            _add_link(found, block)
        case other:
            found.texts.append(f"(A part of the kind {str(other)[:40]!r} is left out: it is not known here.)")


async def _add_resource(found: Answer, resource: Any, files: FileStore) -> None:
    if not isinstance(resource, Mapping):
        return
    uri = _line(resource.get("uri"))
    if isinstance(resource.get("text"), str):
        found.texts.append(f"Resource {uri}:\n{_text(resource['text'])}")
    else:
        await _add_file(found, f"resource {uri}", resource, resource.get("blob"), files)


def _add_link(found: Answer, block: Mapping[str, Any]) -> None:
    link = {name: _line(block.get(name)) for name in ("uri", "name", "title", "description", "mimeType")}
    found.links.append({name: text for name, text in link.items() if text})
    about = link["title"] or link["name"]
    found.texts.append(f"Link to a resource: {link['uri']}{f' ({about})' if about else ''}")


async def _add_file(found: Answer, what: str, block: Mapping[str, Any], data: Any, files: FileStore) -> None:
    """Store a file, and describe it in the text. A file that cannot be stored is only described; the rest of the answer
    is kept."""
    media_type = _line(block.get("mimeType"))
    if len(found.attachments) == MAX_STORED_FILES:
        found.texts.append(f"({what} is left out: at most {MAX_STORED_FILES} files of one answer are kept.)")
        return
    try:
        content = base64.b64decode(data if isinstance(data, str) else "", validate=True)
        stored = await files.put(_file_name(what, media_type, len(found.attachments)), media_type, content)
    except (binascii.Error, ValueError):
        found.texts.append(f"({what} is left out: its content is not valid base64.)")
    except ToolError as error:
        found.texts.append(f"({what}, {media_type or 'of unknown type'}, could not be attached: {error.message})")
    else:
        found.attachments.append(stored)
        found.texts.append(f"({what}: attached as {stored['name']})")


def _file_name(what: str, media_type: str, number: int) -> str:
    if what.startswith("resource "):
        name = what.rstrip("/").rpartition("/")[2]
        if name:
            return name[-100:]
    ending = mimetypes.guess_extension(media_type) or ""
    return f"{what.split(maxsplit=1)[0]}-{number + 1}{ending}"


def _text(value: Any) -> str:
    return clean(value) if isinstance(value, str) else ""


def _line(value: Any) -> str:
    return " ".join(_text(value).split())[:500]
