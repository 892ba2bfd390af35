"""List the models of litellm's table, by provider or by search words, for people who choose one."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from agentsite.tenancy.provider_kinds import ProviderKind
from sessions_app.llm.prices import ModelFacts, all_models, listed_models, table_name

_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "bedrock": ("bedrock", "bedrock_converse"),
    "vertex": ("vertex_ai-language-models",),
    "vertex_anthropic": ("vertex_ai-anthropic_models",),
}
"""Kinds whose models the table lists under several providers, or under other names than their prefix."""


def known_models(kind: ProviderKind) -> dict[str, ModelFacts]:
    """Return the models of a provider that can call tools, by the names that the provider uses, in alphabetical order.

    Models that cannot call tools according to the table are left out, because no agent can work with them. The result
    is empty if the table does not have the provider.
    """
    provider = kind.prefix or (table_name(kind.base_url) if kind.base_url else "")
    found = {
        name.removeprefix(f"{provider}/"): facts
        for each in _NAMES.get(kind.name, (provider,))
        for name, facts in listed_models(each)
        if facts.calls_tools
    }
    if kind.exchange == "gitlab":
        found = {name: replace(facts, tiers=()) for name, facts in found.items()}
    return dict(sorted(found.items()))


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model of the table, under the name and provider that litellm gives it."""

    name: str
    provider: str
    facts: ModelFacts


def search_models(words: str = "", provider: str = "") -> list[ListedModel]:
    """Return the models of the whole table whose name or provider contains every word, in alphabetical order."""
    sought = words.lower().split()
    return [
        ListedModel(name, of, facts)
        for name, (of, facts) in sorted(all_models().items())
        if provider in ("", of) and all(word in f"{of} {name}".lower() for word in sought)
    ]


def providers_of_table() -> dict[str, int]:
    """Return the providers of the table, with the numbers of their models."""
    counts = Counter(provider for provider, _ in all_models().values())
    return dict(sorted(counts.items()))
