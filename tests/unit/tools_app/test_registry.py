import json
import pkgutil
from typing import cast

import pytest

from sandbox.ports import Runtime
from tests.support.outside_tools import OutsideTools, WeatherTool, added
from tests.support.tool_context import make_context
from tools_app import builtin, chain
from tools_app.permission import layers
from tools_app.permission.model import Layer, Rule
from tools_app.registry import BUILT_IN, ToolScope, catalogue, offered
from tools_app.spec import ToolContext

PARAMETERS = {
    "apply_patch": {"patchText"},
    "bash": {"command", "timeout", "workdir", "description", "background"},
    "bash_output": {"handle", "after"},
    "bash_stop": {"handle"},
    "browser": {"action", "url", "target", "text", "keys", "whole", "width", "height", "wait"},
    "edit": {"filePath", "oldString", "newString", "replaceAll"},
    "glob": {"pattern", "path"},
    "grep": {"pattern", "path", "include"},
    "interactive": {"action", "terminal", "command", "workdir", "text", "keys", "rows", "columns", "wait"},
    "invalid": {"tool", "error"},
    "list": {"path"},
    "multiedit": {"filePath", "edits"},
    "plan_enter": set(),
    "plan_exit": set(),
    "question": {"questions"},
    "read": {"filePath", "offset", "limit"},
    "todoread": set(),
    "todowrite": {"todos"},
    "write": {"filePath", "content"},
}


def test_every_module_of_the_folder_is_a_tool_of_its_name() -> None:
    modules = {module.name.replace("_", "") for module in pkgutil.iter_modules(builtin.__path__)}
    assert {name.lower().replace("_", "") for name in catalogue()} == modules
    assert set(PARAMETERS) <= set(catalogue())


def test_parameters_have_the_names_that_models_know() -> None:
    everything = offered([Layer("all", [Rule("*", "*", "allow")])])
    for offer in everything:
        assert set(offer.schema["properties"]) == PARAMETERS.get(offer.name, set(offer.schema["properties"]))
        assert offer.schema["type"] == "object"
        json.dumps(offer.schema)


def test_invalid_is_never_offered() -> None:
    names = [offer.name for offer in offered([])]
    assert "invalid" not in names
    assert names == sorted(names)


def test_plan_is_not_offered_what_changes_files() -> None:
    names = {offer.name for offer in offered(layers.preferences(agent="plan"), layers.limits(agent="plan"))}
    assert not {"edit", "write", "multiedit", "apply_patch"} & names
    assert {"read", "glob", "grep", "list", "bash", "todowrite", "question"} <= names


@pytest.mark.parametrize("tool_id", sorted(catalogue()))
def test_every_tool_says_what_it_is_for(tool_id: str) -> None:
    description = catalogue()[tool_id].description
    assert description
    assert description == description.strip()


@pytest.fixture
def ctx() -> ToolContext:
    return make_context(cast(Runtime, None))


def test_a_tool_from_outside_is_offered_like_any_other() -> None:
    with added(OutsideTools()):
        offers = {offer.name: offer for offer in offered([])}
    assert offers["weather"].description == "Tells the weather of a city."
    assert offers["weather"].schema["required"] == ["city"]
    assert "weather" not in catalogue()


def test_it_is_hidden_by_rules_about_its_own_name() -> None:
    with added(OutsideTools()):
        names = {offer.name for offer in offered([Layer("team", [Rule("weather", "*", "deny")])])}
    assert "weather" not in names
    assert "read" in names


async def test_the_chain_checks_and_runs_it(ctx: ToolContext) -> None:
    with added(OutsideTools()):
        prepared = await chain.prepare("Weather", '{"city": "Oslo"}', ctx)
        assert [need.permission for need in prepared.needs] == ["weather"]
        assert (await chain.run(prepared, ctx)).output == "Sunny in Oslo."


def test_the_catalogue_says_where_a_tool_comes_from() -> None:
    with added(OutsideTools()):
        tools = catalogue()
    assert tools.source_of("weather") == "plugin weather"
    assert tools.source_of("read") == BUILT_IN


def test_a_source_is_asked_for_the_scope_that_is_meant() -> None:
    scope = ToolScope("tea_1", "prj_1", "wsp_1")
    with added(OutsideTools()) as source:
        catalogue(scope)
    assert source.scopes == [scope]


@pytest.mark.parametrize("name", ["bash", "Bash", "READ"])
def test_the_name_of_a_built_in_tool_cannot_be_taken(name: str) -> None:
    with added(OutsideTools([WeatherTool(name)])):
        tools = catalogue()
    assert tools.source_of(name.lower()) == BUILT_IN
    assert list(tools) == list(catalogue())


def test_of_two_sources_the_first_has_the_name() -> None:
    with added(OutsideTools(name="first")), added(OutsideTools(name="second")):
        assert catalogue().source_of("weather") == "first"


@pytest.mark.parametrize("name", ["", "two words", "päivä", "1st", "a/b", "x" * 65])
def test_a_name_that_providers_do_not_take_is_left_out(name: str) -> None:
    with added(OutsideTools([WeatherTool(name), WeatherTool()])):
        assert set(catalogue()) - set(_built_in()) == {"weather"}


def _built_in() -> list[str]:
    return [name for name in catalogue() if catalogue().source_of(name) == BUILT_IN]


def test_a_source_that_fails_offers_nothing_and_stops_nobody() -> None:
    with added(OutsideTools(error=RuntimeError("down"))), added(OutsideTools(name="other")):
        assert catalogue().source_of("weather") == "other"
