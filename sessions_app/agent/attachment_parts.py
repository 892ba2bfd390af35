"""Put attached files into the messages that a model receives. Pure.

The stored conversation contains references to files (`reference`). Before a request, `choose_files` selects the files
that this model is shown, and `with_files` inserts their contents in the chat-completions format that both adapters use.
Every other file is replaced by a sentence, so that the model knows about it and does not guess its content.
"""

import base64
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, Final

from tools_app.media import kind_of
from tools_app.spec import Attachment, ModelTraits
from tools_app.text import clean
from tools_app.truncation import MAX_BYTES, MAX_LINES, truncate

REFERENCE: Final = "attachment"
MAX_FILES_SHOWN: Final = 20
"""Pictures and documents in one request. With more, Anthropic's API accepts only small pictures."""
MAX_BYTES_SHOWN: Final = 16 << 20
"""Total size of these files before base64. A request to Anthropic's API may have 32 MB."""
MAX_TEXT_CHARACTERS_SHOWN: Final = 200_000
"""Bytes of quoted text files in one request, the same number as the maximum characters of a prompt."""
LABELS: Final = {"image": "picture", "pdf": "PDF", "text": "text"}
_READ_ON: Final = (
    f"Not all of it: {MAX_LINES:,} lines or {MAX_BYTES:,} bytes at most. Read on with the tool `read`, filePath"
)
_FOR_COMMANDS: Final = "A copy that commands can work on is made by the tool `read`, filePath"
_SHOW_AGAIN: Final = "To look at it, use the tool `read`, filePath"

_MORE: Final = 16  # bytes read beyond the limit, to detect that a text is longer
_BREAK: Final = "\n"

Message = Mapping[str, Any]


def reference(attachment: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content part that stands for an attached file in a message, until the file's contents are filled
    in."""
    named: Attachment = {
        "id": str(attachment.get("id", "")),
        "name": str(attachment.get("name", "")),
        "media_type": str(attachment.get("media_type", "")),
        "size": int(attachment.get("size") or 0),
    }
    return {"type": REFERENCE, REFERENCE: named}


def choose_files(messages: Sequence[Message], model: ModelTraits) -> list[str]:
    """Return the ids of the files whose contents the model gets: as many as fit into one request, the newest first."""
    named = {attachment["id"]: attachment for attachment in _references_from_the_end(messages)}
    seen = [attachment for attachment in named.values() if _model_reads(attachment, model)]
    texts = [attachment for attachment in seen if kind_of(attachment["media_type"]) == "text"]
    others = [attachment for attachment in seen if attachment not in texts]
    room = [min(attachment["size"], MAX_BYTES) for attachment in texts]
    carried = [attachment["size"] for attachment in others]
    return [
        *_ids(texts, _count_fitting(room, MAX_TEXT_CHARACTERS_SHOWN)),
        *_ids(others[:MAX_FILES_SHOWN], _count_fitting(carried, MAX_BYTES_SHOWN)),
    ]


def suspected_files(messages: Sequence[Message], model: ModelTraits) -> list[str]:
    """Return the ids of pictures and documents that may have caused a provider to refuse the request.

    These are the files added since the model's last answer, or all files that the model gets if none were added since.
    """
    last = max((place for place, message in enumerate(messages) if message["role"] == "assistant"), default=-1)
    named = {each["id"]: each for each in _references_from_the_end(messages)}
    shown = [each for each in choose_files(messages, model) if kind_of(named[each]["media_type"]) != "text"]
    fresh = {each["id"] for each in _references_from_the_end(messages[last + 1 :])}
    return [each for each in shown if each in fresh] or shown


def with_files(
    messages: Sequence[Message], model: ModelTraits, contents: Mapping[str, bytes], refused: Collection[str] = ()
) -> list[Message]:
    """Return the messages with each reference to an attached file replaced by the file's content, or by a text if the
    file is not in `contents`.

    `refused` are files that a provider could not read.
    """

    def filled(message: Message) -> Message:
        return _filled(message, lambda attachment: _parts(attachment, model, contents, refused))

    return [filled(message) if _has_parts(message) else message for message in messages]


def _count_fitting(sizes: Sequence[int], bound: int) -> int:
    """Return how many of the first sizes fit into `bound` together."""
    return sum(total <= bound for total in accumulate(sizes))


def _ids(attachments: Sequence[Attachment], most: int) -> list[str]:
    return [attachment["id"] for attachment in attachments[:most]]


def _references_from_the_end(messages: Sequence[Message]) -> Iterator[Attachment]:
    for message in filter(_has_parts, reversed(messages)):
        for part in reversed(message["content"]):
            if part.get("type") == REFERENCE:
                yield part[REFERENCE]


def _has_parts(message: Message) -> bool:
    """Return whether the content of the message is a list of parts, and not plain text."""
    return isinstance(message.get("content"), list)


def _model_reads(attachment: Attachment, model: ModelTraits) -> bool:
    kind = kind_of(attachment["media_type"])
    return kind == "text" or (model.sees_images if kind == "image" else model.sees_pdf)


def _filled(message: Message, show: Callable[[Attachment], list[dict[str, Any]]]) -> Message:
    parts = [
        piece
        for part in message["content"]
        for piece in (show(part[REFERENCE]) if part.get("type") == REFERENCE else [part])
    ]
    if all(part.get("type") == "text" for part in parts):  # every server understands plain text
        return {**message, "content": "\n\n".join(part["text"] for part in parts if part["text"])}
    return {**message, "content": parts}


def _parts(
    attachment: Attachment, model: ModelTraits, contents: Mapping[str, bytes], refused: Collection[str]
) -> list[dict[str, Any]]:
    content = contents.get(attachment["id"])
    if content is None or attachment["id"] in refused or not _model_reads(attachment, model):
        return [_text(_not_shown(attachment, model, is_refused=attachment["id"] in refused))]
    kind = kind_of(attachment["media_type"])
    if kind == "text":
        return [_text(_quoted(attachment, content))]
    label = _text(f"Attached {LABELS[kind]} {_called(attachment)}:")
    url = f"data:{attachment['media_type']};base64,{base64.b64encode(content).decode('ascii')}"
    if kind == "pdf":
        return [label, {"type": "file", "file": {"filename": attachment["name"], "file_data": url}}]
    return [label, {"type": "image_url", "image_url": {"url": url}}]


def _not_shown(attachment: Attachment, model: ModelTraits, *, is_refused: bool) -> str:
    kind = kind_of(attachment["media_type"])
    named = f"the {LABELS[kind]} {attachment['name']} ({attachment['media_type']}, {attachment['size']:,} bytes)"
    if not _model_reads(attachment, model):
        return (
            f"(Attached: {named}. You cannot look at it: this model takes no {LABELS[kind]}s. Say so if it matters,"
            f' and do not guess what is in it. {_FOR_COMMANDS} "{attachment["id"]}".)'
        )
    if is_refused:
        return f"(Attached: {named}. It could not be shown to you: the provider refused it. Say so; it may be damaged.)"
    return f'(Attached: {named}. It is not shown here. {_SHOW_AGAIN} "{attachment["id"]}".)'


def _quoted(attachment: Attachment, content: bytes) -> str:
    """Return a quotation of the beginning of a text file. The model can read the rest with the tool `read`."""
    text = clean(content[: MAX_BYTES + _MORE].decode("utf-8-sig", "replace"))
    cut = truncate(text)
    shown = cut.text or text.encode()[:MAX_BYTES].decode("utf-8", "ignore")
    rest = f'\n({_READ_ON} "{attachment["id"]}", with offset and limit.)' if cut.truncated else ""
    return f"Attached file {_called(attachment)}:\n<file>\n{shown.removesuffix(_BREAK)}\n</file>{rest}"


def _called(attachment: Attachment) -> str:
    """Return the text for an attached file: its name, then its id in parentheses, by which a tool or a sub-agent finds
    the file."""
    return f"{attachment['name']} ({attachment['id']})"


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
