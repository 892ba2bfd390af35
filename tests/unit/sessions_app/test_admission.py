"""The calculated maximal cost of a model call is never less than its actual cost."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.llm.port import ModelEndpoint, ModelRequest, TokenUsage, ToolDefinition
from sessions_app.llm.prices import ModelFacts, Prices
from sessions_app.spending.admission import (
    Bound,
    bound_of,
    cost_of,
    max_cost,
    max_input_tokens,
    max_output_tokens,
    prefix_of,
)

PRICE = st.decimals(0, Decimal("0.01"), places=9)
TOKENS = st.integers(0, 2_000_000)


@st.composite
def facts(draw: st.DrawFn) -> ModelFacts:
    tiers = [Prices(above, *(draw(PRICE) for _ in range(5))) for above in (0, 128_000, 200_000)]
    return ModelFacts(context=1_000_000, max_output=8_000, tiers=tuple(tiers[: draw(st.integers(1, 3))]))


def request(*messages: dict[str, Any], **more: Any) -> ModelRequest:
    return ModelRequest(endpoint=ModelEndpoint("openai_compatible", "m"), messages=messages, **more)


@given(facts(), st.tuples(TOKENS, TOKENS, TOKENS), st.tuples(TOKENS, TOKENS))
def test_no_call_within_its_bound_costs_more_than_the_bound_says(
    of_model: ModelFacts, taken: tuple[int, int, int], written: tuple[int, int]
) -> None:
    usage = TokenUsage(taken[0], *written, *taken[1:])
    most = max_cost(Bound(sum(taken), sum(written)), of_model)
    real = cost_of(usage, of_model)
    assert most is not None
    assert real is not None
    assert real <= most


@given(facts(), TOKENS, st.decimals(0, 1000, places=6))
def test_an_answer_that_fits_the_money_costs_no_more(of_model: ModelFacts, tokens: int, money: Decimal) -> None:
    fitting = max_output_tokens(money, tokens, of_model)
    if fitting >= 0:
        most = max_cost(Bound(tokens, fitting), of_model)
        assert most is not None
        assert most <= money


@given(st.text())
def test_no_text_has_more_tokens_than_bytes(said: str) -> None:
    assert max_input_tokens([{"role": "user", "content": said}]) >= len(said.encode("utf-8", "replace"))


def test_what_the_provider_counted_is_not_counted_again() -> None:
    old = {"role": "user", "content": "x" * 10_000}
    answer = {"role": "assistant", "content": "y" * 10_000}
    tools = [ToolDefinition("read", "z" * 10_000, {})]
    asked = request(old, answer, {"role": "tool", "tool_call_id": "1", "content": "w" * 100}, tools=tools)
    assert bound_of(asked, ModelFacts()).input > 30_000
    assert 5_100 <= bound_of(asked, ModelFacts(), counted=5_000).input < 5_200


def test_a_request_is_never_larger_than_its_model() -> None:
    asked = request({"role": "user", "content": "x" * 10_000})
    assert bound_of(asked, ModelFacts(context=4_000, max_output=100)) == Bound(4_000, 100)


@pytest.mark.parametrize(
    ("more", "output"), [({"max_tokens": 60}, 60), ({"options": {"max_tokens": 70}}, 70), ({}, 16_384)]
)
def test_an_answer_is_bounded_by_what_was_asked_for(more: dict[str, Any], output: int) -> None:
    assert bound_of(request(**more), ModelFacts()).output == output


def test_a_picture_counts_as_what_providers_count_for_one() -> None:
    block = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 400_000}}
    assert max_input_tokens([{"role": "user", "content": [block]}]) < 60_000


def test_other_instructions_or_tools_make_another_prefix() -> None:
    system, user = {"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"}
    same = request(system, user, {"role": "assistant", "content": "Hello"})
    assert prefix_of(request(system, user)) == prefix_of(same)
    assert prefix_of(request({**system, "content": "Be brief."}, user)) != prefix_of(same)
    assert prefix_of(request(system, user, tools=[ToolDefinition("read", "", {})])) != prefix_of(same)


@pytest.mark.parametrize("price", ["0.0000000001", "0.000001"])
def test_costs_are_rounded_up(price: str) -> None:
    tier = Prices(0, *[Decimal(price)] * 5)
    assert cost_of(TokenUsage(input=1), ModelFacts(tiers=(tier,))) == Decimal("0.000001")
    assert cost_of(TokenUsage(input=1), ModelFacts()) is None
