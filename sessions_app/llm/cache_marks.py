"""Mark the parts of a request to cache, for providers that cache only marked parts. Pure.

Claude models read a request up to a mark from the cache of an earlier request that had the same beginning. The system
prompt is marked, because all sessions of a project share it, and the two newest messages, because each step sends the
messages of the step before again. Other providers (OpenAI, Gemini, DeepSeek and more) cache by themselves and get no
marks.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from sessions_app.llm.port import ModelEndpoint

MARK: Final[Mapping[str, str]] = {"type": "ephemeral"}
NEWEST_MARKED: Final = 2  # messages; Claude accepts four marks in a request
_LITELLM_PREFIXES: Final = ("anthropic/", "bedrock/", "vertex_ai/")
_HOSTS: Final = frozenset({"openrouter.ai"})
"""Hosts of OpenAI-compatible endpoints that accept marks."""


def wants_marks(endpoint: ModelEndpoint) -> bool:
    """Return whether prompt caching needs cache marks in the request: the endpoint's model is a Claude model, and its
    provider accepts the marks."""
    if "claude" not in endpoint.model.lower():
        return False
    if endpoint.kind == "litellm":
        return endpoint.model.startswith(_LITELLM_PREFIXES)
    return (urlsplit(endpoint.base_url).hostname or "") in _HOSTS


def with_marks(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages with cache marks on the first system message and on the newest messages."""
    marked = {index for index, message in enumerate(messages[:1]) if message.get("role") == "system"}
    marked |= set(range(max(len(messages) - NEWEST_MARKED, 0), len(messages)))
    return [_marked(message) if index in marked else dict(message) for index, message in enumerate(messages)]


def _marked(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the message with a cache mark on its last content part. Assistant messages, and messages without content,
    are returned without a mark."""
    content = message.get("content")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) and content else content
    if not isinstance(parts, list) or not parts or message.get("role") == "assistant":
        return dict(message)
    return {**message, "content": [*parts[:-1], {**parts[-1], "cache_control": dict(MARK)}]}
