import json
import pkgutil

import pytest

from tools_app import builtin
from tools_app.permission import layers
from tools_app.permission.model import Layer, Rule
from tools_app.registry import catalogue, offered

PARAMETERS = {
    "bash": {"command", "timeout", "workdir", "description", "background"},
    "bash_output": {"handle", "after"},
    "bash_stop": {"handle"},
    "edit": {"filePath", "oldString", "newString", "replaceAll"},
    "glob": {"pattern", "path"},
    "grep": {"pattern", "path", "include"},
    "invalid": {"tool", "error"},
    "list": {"path"},
    "question": {"questions"},
    "read": {"filePath", "offset", "limit"},
    "todoread": set(),
    "todowrite": {"todos"},
    "write": {"filePath", "content"},
}


def test_every_module_of_the_folder_is_a_tool_of_its_name() -> None:
    assert list(catalogue()) == sorted(module.name for module in pkgutil.iter_modules(builtin.__path__))
    assert set(catalogue()) == set(PARAMETERS)


def test_parameters_have_the_names_that_models_know() -> None:
    everything = offered([Layer("all", [Rule("*", "*", "allow")])])
    for offer in everything:
        assert set(offer.schema["properties"]) == PARAMETERS[offer.name]
        assert offer.schema["type"] == "object"
        json.dumps(offer.schema)


def test_invalid_is_never_offered() -> None:
    names = [offer.name for offer in offered([])]
    assert "invalid" not in names
    assert names == [name for name in catalogue() if name != "invalid"]


def test_plan_is_not_offered_what_changes_files() -> None:
    names = {offer.name for offer in offered(layers.preferences(agent="plan"), layers.limits(agent="plan"))}
    assert names == set(PARAMETERS) - {"invalid", "edit", "write"}


@pytest.mark.parametrize("tool_id", sorted(PARAMETERS))
def test_every_tool_says_what_it_is_for(tool_id: str) -> None:
    description = catalogue()[tool_id].description
    assert description
    assert description == description.strip()
