"""Convert the chunks of a chat-completions stream to model events. Pure functions, shared by both adapters."""

import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from sessions_app.llm.port import (
    Finished,
    FinishReason,
    LlmUnavailable,
    ModelEvent,
    ReasoningDelta,
    TextDelta,
    TokenUsage,
    ToolCallDelta,
)

FINISH_REASONS: Final[Mapping[str, FinishReason]] = {
    "stop": "stop",
    "end_turn": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "content_filter",
}
REASONING_FIELDS: Final = ("reasoning_content", "reasoning")


def new_call_id() -> str:
    """Return a random id for a tool call."""
    return f"call_{uuid.uuid4().hex}"


class ChunkReader:
    """A reader for the chunks of one stream. Pass each chunk to `feed`, then call `finished`.

    The reader hides small differences between providers: reasoning has two field names, parallel calls may share one
    index or have none, ids may be missing, the finish reason may be "stop" although there are calls, and usage may come
    with any chunk.

    `may_be_empty`: an answer without content is valid. `make_id` creates an id for a call that has none.
    """

    def __init__(self, *, may_be_empty: bool = False, make_id: Callable[[], str] = new_call_id) -> None:
        self._may_be_empty = may_be_empty
        self._make_id = make_id
        self._calls: dict[int, str] = {}
        self._index_of: dict[int, int] = {}
        self._has_content = False
        self._reason: str | None = None
        self._usage: TokenUsage | None = None

    def feed(self, chunk: Mapping[str, Any]) -> Iterator[ModelEvent]:
        """Yield the model events that one chunk of the stream contains."""
        if usage := chunk.get("usage"):
            self._usage = read_usage(usage)
        for choice in (chunk.get("choices") or [])[:1]:
            self._reason = choice.get("finish_reason") or self._reason
            yield from self._read_delta(choice.get("delta") or {})

    def finished(self) -> Finished:
        """Return the last event of the stream. Raises LlmUnavailable if the stream has no finish reason or no
        content."""
        if self._reason is None:
            raise LlmUnavailable(
                "The model's answer was cut off before its end.",
                hint="Send the prompt again.",
            )
        reason = FINISH_REASONS.get(self._reason, "unknown")
        if self._calls and reason in ("stop", "unknown"):
            reason = "tool_calls"
        if reason == "stop" and not self._has_content and not self._may_be_empty:
            raise LlmUnavailable(
                "The model's answer is empty.",
                hint="Send the prompt again, or choose another model.",
            )
        return Finished(reason=reason, usage=self._usage)

    def _read_delta(self, delta: Mapping[str, Any]) -> Iterator[ModelEvent]:
        reasoning = next((delta[name] for name in REASONING_FIELDS if delta.get(name)), None)
        if isinstance(reasoning, str):
            self._has_content = True
            yield ReasoningDelta(reasoning)
        if text := delta.get("content"):
            self._has_content = True
            yield TextDelta(text)
        for position, call in enumerate(delta.get("tool_calls") or []):
            yield self._read_call(call, position)

    def _read_call(self, call: Mapping[str, Any], position: int) -> ToolCallDelta:
        function = call.get("function") or {}
        sent_index = call.get("index")
        position_key = position if sent_index is None else int(sent_index)
        call_id, name = call.get("id") or "", function.get("name") or ""
        index = self._index_of.get(position_key)
        if index is None or (name and call_id and self._calls[index] != call_id):
            index = self._index_of[position_key] = len(self._calls)
            self._calls[index] = call_id or self._make_id()
            return ToolCallDelta(index, self._calls[index], name, function.get("arguments") or "")
        return ToolCallDelta(index, "", "", function.get("arguments") or "")


def read_usage(usage: Mapping[str, Any]) -> TokenUsage:
    """Convert a provider's usage object to token counts by kind. Each token counts once: their sum is the total of the
    call."""
    prompt_details = usage.get("prompt_tokens_details") or {}
    completion_details = usage.get("completion_tokens_details") or {}
    cache_read = prompt_details.get("cached_tokens") or usage.get("cache_read_input_tokens") or 0
    cache_write = prompt_details.get("cache_write_tokens") or usage.get("cache_creation_input_tokens") or 0
    completion, reasoning = (
        usage.get("completion_tokens") or 0,
        completion_details.get("reasoning_tokens") or 0,
    )
    return TokenUsage(
        input=max(0, (usage.get("prompt_tokens") or 0) - cache_read - cache_write),
        output=completion - reasoning if reasoning <= completion else completion,
        reasoning=reasoning,
        cache_read=cache_read,
        cache_write=cache_write,
    )
