"""Context sizes, prices and abilities of models, from litellm's table of models (`sessions_app.llm.model_table`).

A model that is not in the table has no price and no known size; nothing is estimated.
"""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from sessions_app.llm import model_table
from sessions_app.llm.port import EFFORTS, ModelEndpoint, TokenUsage

_USUAL_EFFORTS: Final = frozenset({"low", "medium", "high"})

# Hosts of OpenAI-compatible endpoints, and the prefix of their models in the table.
KNOWN_HOSTS: Final[Mapping[str, str]] = {
    "": "openai",
    "api.openai.com": "openai",
    "api.anthropic.com": "anthropic",
    "ai-gateway.vercel.sh": "vercel_ai_gateway",
    "api.cerebras.ai": "cerebras",
    "api.cohere.ai": "cohere_chat",
    "api.deepinfra.com": "deepinfra",
    "api.deepseek.com": "deepseek",
    "api.fireworks.ai": "fireworks_ai",
    "api.groq.com": "groq",
    "api.githubcopilot.com": "github_copilot",
    "api.mistral.ai": "mistral",
    "api.moonshot.ai": "moonshot",
    "api.perplexity.ai": "perplexity",
    "api.together.xyz": "together_ai",
    "api.x.ai": "xai",
    "api.z.ai": "zai",
    "generativelanguage.googleapis.com": "gemini",
    "openrouter.ai": "openrouter",
}


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices in US dollars per token, for calls with more than `above` input tokens."""

    above: int
    input: Decimal
    output: Decimal
    reasoning: Decimal
    cache_read: Decimal
    cache_write: Decimal


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Facts about a model; None means unknown.

    `context` and `max_output` are in tokens. `tiers` are sorted by threshold, lowest first; without tiers the price is
    unknown. `sees_images` and `sees_pdf`: the model accepts such files. `calls_tools`: it can call tools; None if
    unknown. `reasons`: it can think before it answers. `caches`: parts of a request that were sent before cost less.
    `efforts` are the reasoning efforts that the model accepts, lowest first.
    """

    context: int | None = None
    max_output: int | None = None
    tiers: tuple[Prices, ...] = ()
    sees_images: bool = False
    sees_pdf: bool = False
    calls_tools: bool | None = None
    reasons: bool = False
    caches: bool = False
    efforts: tuple[str, ...] = ()


Stamp = tuple[str, int]
"""The path of the kept table, "" for the bundled one, and the time of its last change."""
_kept: Final[dict[str, str]] = {}
_PRICE_FIELDS: Final = ("input", "output", "reasoning", "cache_read", "cache_write")
UNKNOWN: Final = ModelFacts()
_FREE: Final = Prices(0, Decimal(0), Decimal(0), Decimal(0), Decimal(0), Decimal(0))
DEMO_MODELS: Final[Mapping[str, ModelFacts]] = {
    name: ModelFacts(
        context=128_000, max_output=8_192, tiers=(_FREE,), sees_images=True, sees_pdf=True, calls_tools=True
    )
    for name in ("demo", "demo-small")
}


def model_facts(endpoint: ModelEndpoint) -> ModelFacts:
    """Return the context size and prices of the endpoint's model.

    Values that the team or site configured take precedence over litellm's table. A value in neither of them is unknown.
    """
    overrides, listed = endpoint.overrides, _listed(endpoint)
    prices = overrides.prices
    return replace(
        listed,
        context=overrides.context or listed.context,
        max_output=overrides.max_output or listed.max_output,
        tiers=listed.tiers if prices is None else (Prices(0, *(getattr(prices, name) for name in _PRICE_FIELDS)),),
        sees_images=listed.sees_images if overrides.sees is None else "images" in overrides.sees,
        sees_pdf=listed.sees_pdf if overrides.sees is None else "pdf" in overrides.sees,
        calls_tools=listed.calls_tools if overrides.calls_tools is None else overrides.calls_tools,
        efforts=listed.efforts if overrides.efforts is None else overrides.efforts,
    )


def _listed(endpoint: ModelEndpoint) -> ModelFacts:
    if endpoint.exchange == "gitlab":  # the models of others, at a price of its own that is not per token
        return replace(_find(endpoint.model), tiers=())
    if endpoint.kind == "litellm":
        return _find(endpoint.model)
    if endpoint.is_of_site and endpoint.model in DEMO_MODELS:
        return DEMO_MODELS[endpoint.model]
    provider = table_name(endpoint.base_url)
    return _find(f"{provider}/{endpoint.model}") if provider else UNKNOWN


def use_kept_file(path: Path) -> None:
    """Use the table in this file instead of the bundled one whenever the file exists. Called when a process starts."""
    _kept["file"] = str(path)


def table_stamp() -> Stamp:
    """Return the path of the table in use and its modification time; ("", 0) for the bundled table."""
    kept = _kept.get("file", "")
    with suppress(OSError):
        return (kept, os.stat(kept).st_mtime_ns) if kept else ("", 0)  # noqa: PTH116 - asked for with every price
    return "", 0


def table_name(base_url: str) -> str:
    """Return the provider's name in the table of models for the API at `base_url`; "" if the host is unknown."""
    return KNOWN_HOSTS.get(urlsplit(base_url).hostname or "", "")


def listed_models(provider: str) -> Iterator[tuple[str, ModelFacts]]:
    """Yield the names and facts of a provider's models in the table."""
    return ((name, facts) for name, (of, facts) in _table().items() if of == provider)


def all_models() -> Mapping[str, tuple[str, ModelFacts]]:
    """Return every model of the table by name, with its provider."""
    return _table()


def cost(usage: TokenUsage, facts: ModelFacts) -> Decimal | None:
    """Return the cost of one call in US dollars; None if the price is unknown, which is not the same as free."""
    prompt = usage.input + usage.cache_read + usage.cache_write
    fitting = [tier for tier in facts.tiers if prompt > tier.above or tier.above == 0]
    if not fitting:
        return None
    price = fitting[-1]
    return (
        usage.input * price.input
        + usage.output * price.output
        + usage.reasoning * price.reasoning
        + usage.cache_read * price.cache_read
        + usage.cache_write * price.cache_write
    )


def _find(model: str) -> ModelFacts:
    """Return the facts of a model by its name in litellm's notation, `provider/model`.

    The table lists some models without their provider, and models of Vertex AI under providers such as
    "vertex_ai-language-models".
    """
    table = _table()
    if model in table:
        return table[model][1]
    provider, _, name = model.partition("/")
    listed_provider, facts = table.get(name, ("", UNKNOWN))
    return facts if provider in (listed_provider, listed_provider.partition("-")[0]) else UNKNOWN


def _table() -> Mapping[str, tuple[str, ModelFacts]]:
    """Return the table in use as model name -> (provider, facts)."""
    return _facts_of_table(table_stamp())


@lru_cache(maxsize=2)
def _facts_of_table(of: Stamp) -> Mapping[str, tuple[str, ModelFacts]]:
    return {
        name: (entry.get("litellm_provider", ""), _facts(entry)) for name, entry in model_table.entries(of[0]).items()
    }


def _facts(entry: Mapping[str, Any]) -> ModelFacts:
    context, max_output = entry.get("max_input_tokens"), entry.get("max_output_tokens")
    return ModelFacts(
        context=context if isinstance(context, int) else None,
        max_output=max_output if isinstance(max_output, int) else None,
        tiers=tuple(_tiers(entry)),
        sees_images=bool(entry.get("supports_vision")),
        sees_pdf=bool(entry.get("supports_pdf_input")),
        calls_tools=_known(entry.get("supports_function_calling")),
        reasons=bool(entry.get("supports_reasoning")),
        caches=bool(entry.get("supports_prompt_caching")),
        efforts=_efforts(entry),
    )


def _known(flag: Any) -> bool | None:
    return None if flag is None else bool(flag)


def _efforts(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the reasoning efforts that a model takes. Every model that reasons takes the three usual ones, unless the
    table says otherwise."""
    if not entry.get("supports_reasoning"):
        return ()
    listed = entry.get("reasoning_effort_levels")
    if isinstance(listed, list):
        return tuple(effort for effort in EFFORTS if effort in listed)
    return tuple(
        effort for effort in EFFORTS if entry.get(f"supports_{effort}_reasoning_effort", effort in _USUAL_EFFORTS)
    )


def _tiers(entry: Mapping[str, Any]) -> Iterator[Prices]:
    thresholds = {0: ""}
    for key in entry:
        if found := re.fullmatch(r"input_cost_per_token(_above_(\d+)k_tokens)", key):
            thresholds[int(found[2]) * 1000] = found[1]
    for above, suffix in sorted(thresholds.items()):
        if prices := _prices(entry, above, suffix):
            yield prices


def _prices(entry: Mapping[str, Any], above: int, suffix: str) -> Prices | None:
    def price(name: str) -> Decimal | None:
        value = entry.get(name + suffix, entry.get(name))
        return None if value is None else Decimal(value)

    input_price, output_price = (
        price("input_cost_per_token"),
        price("output_cost_per_token"),
    )
    if input_price is None or output_price is None:
        return None
    reasoning, cache_read = (
        price("output_cost_per_reasoning_token"),
        price("cache_read_input_token_cost"),
    )
    cache_write = price("cache_creation_input_token_cost")
    return Prices(
        above=above,
        input=input_price,
        output=output_price,
        reasoning=output_price if reasoning is None else reasoning,
        cache_read=input_price if cache_read is None else cache_read,
        cache_write=input_price if cache_write is None else cache_write,
    )
