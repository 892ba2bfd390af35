import pytest

from tools_app.model_families import FAMILIES, TOOLS_OF_STYLE, family_of, is_tool_for
from tools_app.registry import catalogue, offered
from tools_app.spec import ModelTraits, OfferContext


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-5.2", "gpt"),
        ("openai/gpt-5-mini", "gpt"),
        ("gpt-5.1-codex", "gpt"),
        ("azure/GPT-6", "gpt"),
        ("gpt-4o", "gpt-4"),
        ("openrouter/openai/gpt-4.1", "gpt-4"),
        ("gpt-3.5-turbo", "gpt-4"),
        ("openai/gpt-oss-120b", "gpt-oss"),
        ("claude-sonnet-4-5", "claude"),
        ("bedrock/anthropic.claude-opus-4-1-v1:0", "claude"),
        ("gemini/gemini-2.5-pro", "gemini"),
        ("moonshotai/kimi-k2", "kimi"),
        ("demo", "demo"),
        ("my-own-model", ""),
        ("", ""),
    ],
)
def test_the_name_tells_the_family(model: str, family: str) -> None:
    assert family_of(model) == family


def test_no_name_is_hidden_behind_a_shorter_one_before_it() -> None:
    pieces = [piece for piece, _ in FAMILIES]
    assert not [
        (earlier, later) for place, later in enumerate(pieces) for earlier in pieces[:place] if earlier in later
    ]


@pytest.mark.parametrize(
    ("model", "has", "has_not"),
    [
        ("gpt-5.2", "patch", "replace"),
        ("gpt-4o", "replace", "patch"),
        ("gpt-oss-20b", "replace", "patch"),
        ("claude-sonnet-4-5", "replace", "patch"),
        ("my-own-model", "replace", "patch"),
    ],
)
def test_a_family_gets_one_way_to_change_files(model: str, has: str, has_not: str) -> None:
    names = {offer.name for offer in offered([], (), OfferContext(model=ModelTraits(family_of(model))))}
    tools = {style: set(ids) & set(catalogue()) for style, ids in TOOLS_OF_STYLE.items()}
    assert tools[has] <= names  # type: ignore[index]
    assert not tools[has_not] & names  # type: ignore[index]
    assert {"read", "bash", "grep"} <= names


def test_a_tool_that_has_no_counterpart_is_for_everybody() -> None:
    assert all(is_tool_for("read", family) for _, family in FAMILIES)
