"""The models that people can choose come from litellm's table, with the facts that agents need."""

import pytest

from agentsite.tenancy.provider_kinds import KINDS
from sessions_app.llm.catalogue import known_models
from sessions_app.llm.port import ModelEndpoint
from sessions_app.llm.prices import model_facts

UNLISTED = {"lm_studio", "ollama", "openai_compatible", "openrouter", "vllm"}
"""Kinds of providers without models in the table. Their servers list the models."""


@pytest.mark.parametrize("name", sorted(KINDS.keys() - UNLISTED))
def test_other_kinds_have_known_models(name: str) -> None:
    found = known_models(KINDS[name])
    assert found
    assert list(found) == sorted(found)
    assert all(facts.calls_tools for facts in found.values())


@pytest.mark.parametrize("name", sorted(UNLISTED))
def test_a_kind_that_the_table_does_not_know_has_no_known_models(name: str) -> None:
    assert known_models(KINDS[name]) == {}


def test_a_known_model_has_the_facts_that_its_calls_are_priced_with() -> None:
    kind = KINDS["mistral"]
    name, facts = next(iter(known_models(kind).items()))
    endpoint = ModelEndpoint(kind="openai_compatible", model=name, base_url=kind.base_url)
    assert model_facts(endpoint) == facts


def test_names_are_those_of_the_provider() -> None:
    assert "claude-sonnet-4-5" in known_models(KINDS["anthropic"])
    assert not [name for name in known_models(KINDS["gemini"]) if name.startswith("gemini/")]
