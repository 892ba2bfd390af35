import json
import pkgutil

import pytest

from tools_app import builtin
from tools_app.permission import layers
from tools_app.permission.model import Layer, Rule
from tools_app.registry import catalogue, offered

PARAMETERS = {
    "apply_patch": {"patchText"},
    "bash": {"command", "timeout", "workdir", "description", "background"},
    "bash_output": {"handle", "after"},
    "bash_stop": {"handle"},
    "edit": {"filePath", "oldString", "newString", "replaceAll"},
    "glob": {"pattern", "path"},
    "grep": {"pattern", "path", "include"},
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
