"""prompt_text(): the text of a prompt of an MCP server. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from tools_app.text import clean

MAX_CHARACTERS: Final = 50_000
MAX_MESSAGES: Final = 50


def prompt_text(answer: Mapping[str, Any]) -> str:
    """Return the messages of a prompt as one text. Messages of the assistant are marked; parts that are not text are
    only named."""
    messages = answer.get("messages")
    texts = [_message(each) for each in messages[:MAX_MESSAGES]] if isinstance(messages, list) else []
    return "\n\n".join(filter(None, texts))[:MAX_CHARACTERS]


def _message(message: Any) -> str:
    if not isinstance(message, Mapping):
        return ""
    content = message.get("content")
    blocks = content if isinstance(content, list) else [content]
    text = "\n\n".join(each for block in blocks for each in _texts(block))
    return f"(The assistant answers:)\n{text}" if text and message.get("role") == "assistant" else text


def _texts(block: Any) -> Iterator[str]:
    if not isinstance(block, Mapping):
        return
    resource = block.get("resource")
    if isinstance(block.get("text"), str):
        yield clean(block["text"])
    elif isinstance(resource, Mapping) and isinstance(resource.get("text"), str):
        yield f"{clean(str(resource.get('uri', '')))}:\n{clean(resource['text'])}"
    else:
        yield f"(Here the prompt has a part of the kind {clean(str(block.get('type')))[:40]}, which is left out.)"
