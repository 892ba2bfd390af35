"""Marks for prompt caches: the models that get them, and the marked messages."""

from typing import Any

import pytest

from sessions_app.llm.cache_marks import MARK, wants_marks, with_marks
from sessions_app.llm.port import ModelEndpoint


@pytest.mark.parametrize(
    ("endpoint", "expected"),
    [
        (ModelEndpoint("litellm", "anthropic/claude-sonnet-4-5"), True),
        (ModelEndpoint("litellm", "bedrock/anthropic.claude-sonnet-4-5-v1:0"), True),
        (ModelEndpoint("litellm", "vertex_ai/claude-sonnet-4-5@20250929"), True),
        (ModelEndpoint("litellm", "bedrock/amazon.nova-pro-v1:0"), False),
        (ModelEndpoint("litellm", "gemini/gemini-2.5-pro"), False),
        (ModelEndpoint("openai_compatible", "anthropic/claude-sonnet-4.5", "https://openrouter.ai/api/v1"), True),
        (ModelEndpoint("openai_compatible", "claude-like", "https://models.example.org/v1"), False),
        (ModelEndpoint("openai_compatible", "gpt-5", "https://api.openai.com/v1"), False),
    ],
)
def test_only_models_that_need_marks_at_providers_that_know_them_get_any(
    endpoint: ModelEndpoint, expected: bool
) -> None:
    assert wants_marks(endpoint) is expected


def marks(messages: list[dict[str, Any]]) -> list[int]:
    """Return the indexes of the messages that carry a cache mark."""
    return [index for index, message in enumerate(messages) if "cache_control" in str(message)]


def test_the_system_prompt_and_the_two_newest_messages_are_marked() -> None:
    chat = [{"role": "system", "content": "Be brief."}] + [
        {"role": "user" if number % 2 else "tool", "content": f"text {number}"} for number in range(5)
    ]
    marked = with_marks(chat)
    assert marks(marked) == [0, 4, 5]
    assert marked[0]["content"] == [{"type": "text", "text": "Be brief.", "cache_control": dict(MARK)}]
    assert marked[1] == chat[1]


def test_only_the_last_part_of_a_message_carries_the_mark() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    (marked,) = with_marks([{"role": "user", "content": [picture, {"type": "text", "text": "What is it?"}]}])
    assert "cache_control" not in marked["content"][0]
    assert marked["content"][1]["cache_control"] == dict(MARK)


@pytest.mark.parametrize("content", [None, "", []])
def test_a_message_without_content_stays_as_it_is(content: Any) -> None:
    message = {"role": "assistant", "content": content, "tool_calls": []}
    assert with_marks([message]) == [message]


def test_the_conversation_itself_is_not_changed() -> None:
    chat = [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}]
    with_marks(chat)
    assert chat == [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}]
