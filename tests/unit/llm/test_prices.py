"""Prices come from litellm's own table, or are unknown; they are never guessed."""

from dataclasses import replace
from decimal import Decimal

import pytest

from sessions_app.llm.port import ModelEndpoint, ModelOverrides, TokenUsage
from sessions_app.llm.prices import UNKNOWN, ModelFacts, Prices, cost, model_facts


def endpoint(model: str, base_url: str = "", *, litellm: bool = False) -> ModelEndpoint:
    return ModelEndpoint(kind="litellm" if litellm else "openai_compatible", model=model, base_url=base_url)


def tier(above: int, price: int) -> Prices:
    return Prices(above, *(Decimal(price) for _ in range(5)))


def test_a_known_model_has_context_output_and_price() -> None:
    facts = model_facts(endpoint("gpt-4o"))
    assert (facts.context, facts.max_output) == (128_000, 16_384)
    assert cost(TokenUsage(input=1_000_000), facts) == Decimal("2.5")


@pytest.mark.parametrize("model", ["anthropic/claude-sonnet-4-5", "claude-sonnet-4-5", "gemini/gemini-2.5-pro"])
def test_litellm_names_are_found_with_and_without_provider(model: str) -> None:
    assert model_facts(endpoint(model, litellm=True)).tiers


def test_a_model_of_another_provider_is_not_taken_for_it() -> None:
    assert model_facts(endpoint("openai/claude-sonnet-4-5", litellm=True)) == UNKNOWN


def test_a_well_known_name_on_an_unknown_host_has_no_price() -> None:
    assert cost(TokenUsage(input=10), model_facts(endpoint("gpt-4o", "http://localhost:8000/v1"))) is None


def test_a_known_host_has_its_own_prices() -> None:
    assert model_facts(endpoint("gpt-4o", "https://api.openai.com/v1")) == model_facts(endpoint("gpt-4o"))


@pytest.mark.parametrize("model", ["demo", "demo-small"])
def test_the_demo_model_is_free_which_is_not_unknown(model: str) -> None:
    assert cost(TokenUsage(input=1000, output=1000), model_facts(endpoint(model, "http://127.0.0.1:1/v1"))) == 0


@pytest.mark.parametrize(
    ("model", "efforts"),
    [
        ("gpt-5", ("minimal", "low", "medium", "high")),
        ("gpt-5.2", ("none", "low", "medium", "high", "xhigh")),
        ("o3", ("low", "medium", "high")),
        ("gpt-4o", ()),
    ],
)
def test_a_model_that_reasons_takes_the_efforts_that_the_table_names(model: str, efforts: tuple[str, ...]) -> None:
    assert model_facts(endpoint(model)).efforts == efforts


def test_efforts_that_people_declared_replace_those_of_the_table() -> None:
    own = replace(endpoint("my-own-model", "http://gpu.example/v1"), overrides=ModelOverrides(efforts=("low",)))
    assert model_facts(own).efforts == ("low",)
    assert model_facts(replace(endpoint("o3"), overrides=ModelOverrides(efforts=()))).efforts == ()


def test_each_kind_of_token_has_its_price() -> None:
    prices = Prices(0, Decimal(1), Decimal(10), Decimal(100), Decimal(1000), Decimal(10000))
    usage = TokenUsage(input=1, output=2, reasoning=3, cache_read=4, cache_write=5)
    assert cost(usage, ModelFacts(tiers=(prices,))) == Decimal(54321)


def test_long_prompts_cost_what_long_prompts_cost() -> None:
    facts = ModelFacts(tiers=(tier(0, 1), tier(200, 3)))
    assert (cost(TokenUsage(input=200), facts), cost(TokenUsage(input=150, cache_read=51), facts)) == (
        Decimal(200),
        Decimal(603),
    )


def test_tiers_are_read_from_the_table() -> None:
    facts = model_facts(endpoint("gemini/gemini-2.5-pro", litellm=True))
    assert [prices.above for prices in facts.tiers] == [0, 200_000]
