"""The features and sizes of models are read from the model lists of each kind of server."""

from typing import Any

import pytest

from sessions_app.llm.found_models import FoundModel, entries_of, read_entries, with_ollama_details
from tests.support.model_list_server import model

OPENROUTER = {
    "id": "maker/m", "context_length": 200_000, "architecture": {"input_modalities": ["text", "image"]},
    "top_provider": {"max_completion_tokens": 64_000}, "supported_parameters": ["tools", "reasoning"],
}  # fmt: skip
MISTRAL = {
    "id": "m", "max_context_length": 32_768,
    "capabilities": {"completion_chat": True, "function_calling": False, "vision": True},
}  # fmt: skip
COPILOT = {
    "id": "m",
    "capabilities": {
        "type": "chat", "supports": {"tool_calls": True, "vision": False},
        "limits": {"max_context_window_tokens": 128_000, "max_output_tokens": 16_384},
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"id": "m"}, model("m")),
        ({"id": "m", "max_model_len": 65_536}, model("m", 65_536)),
        ({"id": "m", "context_window": 8_192, "max_completion_tokens": 1_024}, model("m", 8_192, 1_024)),
        (OPENROUTER, model("maker/m", 200_000, 64_000, can="calls_tools sees_images reasons")),
        (
            {**OPENROUTER, "supported_parameters": ["top_p"]},
            model("maker/m", 200_000, 64_000, can="sees_images", cannot="calls_tools reasons"),
        ),
        (MISTRAL, model("m", 32_768, can="sees_images", cannot="calls_tools")),
        (COPILOT, model("m", 128_000, 16_384, can="calls_tools", cannot="sees_images")),
        ({"id": "m", "type": "embedding"}, model("m", cannot="chats")),
        ({"id": "m", "capabilities": {"completion_chat": False}}, model("m", cannot="chats")),
        ({"id": "models/m", "context_length": "many", "max_tokens": -1, "capabilities": 7}, model("m")),
        ({"id": "m", "max_model_len": True, "top_provider": [], "architecture": "x"}, model("m")),
    ],
)
def test_each_server_describes_its_models_in_its_own_words(entry: dict[str, Any], expected: FoundModel) -> None:
    assert read_entries([entry]) == [expected]


def test_names_that_cannot_be_used_and_repeated_ones_are_left_out() -> None:
    entries = [{"id": name} for name in ("b", "a", "b", "", "two words", "../x", "x" * 201)] + [{"id": 7}, {}]
    assert [found.name for found in read_entries(entries)] == ["a", "b"]


@pytest.mark.parametrize("answer", [None, 7, "x", {}, {"data": {"id": "m"}}, {"error": "no"}])
def test_what_is_no_list_is_told_from_an_empty_one(answer: Any) -> None:
    assert entries_of(answer) is None
    assert entries_of({"data": []}) == []


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (
            {"capabilities": ["completion", "tools"], "model_info": {"llama.context_length": 8_192}},
            model("m", 8_192, can="calls_tools", cannot="sees_images reasons"),
        ),
        ({"model_info": {"llama.context_length": 8_192}}, model("m", 8_192)),
        ({"model_info": {"llama.context_length": 131_072}, "parameters": "num_ctx   4096"}, model("m", 4_096)),
        ({"model_info": [], "parameters": {}, "capabilities": "tools"}, model("m")),
        ([], model("m")),
    ],
)
def test_ollama_says_the_size_in_use_and_the_abilities(answer: Any, expected: FoundModel) -> None:
    assert with_ollama_details(model("m"), answer) == expected
