"""Additional instructions of built-in agents for the family of their model."""

from dataclasses import replace
from datetime import date

import pytest

from sessions_app.agent.built_in import BUILD, BUILT_IN, FAMILY_NOTES, TITLE
from sessions_app.agent.context import AgentEnvironment, prompt_blocks, prompt_for
from tools_app.model_families import FAMILIES, family_of


def test_every_family_with_a_note_is_a_family() -> None:
    assert set(FAMILY_NOTES) <= {family for _, family in FAMILIES}


@pytest.mark.parametrize("model", ["anthropic/claude-sonnet-4-5", "openai/gpt-5.2", "gemini/gemini-2.5-pro"])
def test_the_prompt_of_a_built_in_agent_ends_with_the_note_of_the_family(model: str) -> None:
    around = AgentEnvironment(project="Tea", model=model, today=date(2026, 1, 1))
    block = prompt_blocks(BUILD, around, family_of(model))[0]
    assert block.text == f"{BUILD.prompt}\n{FAMILY_NOTES[family_of(model)]}"


@pytest.mark.parametrize("model", ["demo", "own-model"])
def test_other_models_get_the_prompt_alone(model: str) -> None:
    assert prompt_for(BUILD, family_of(model)) == BUILD.prompt


def test_what_people_wrote_stays_as_it_is() -> None:
    assert prompt_for(replace(BUILD, prompt="Only read."), "claude") == "Only read."


def test_agents_without_tools_get_no_note() -> None:
    assert prompt_for(TITLE, "claude") == BUILT_IN["title"].prompt
