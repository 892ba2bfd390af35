"""Variables in front of a command do not change its match with rules if they only affect the project's own code."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.engine import decide
from tools_app.permission.layers import preferences
from tools_app.permission.model import Request, Rule


@pytest.mark.parametrize(
    "command",
    [
        "PYTHONPATH=src pytest -q",
        "PYTHONPATH=src:tests pytest -q",
        "PYTHONPATH=/workspace/src pytest -q",
        "PYTHONPATH=$PWD/src pytest -q",
        'PYTHONPATH="$(pwd)" pytest -q',
        "PYTHONPATH=src:$PYTHONPATH pytest -q",
        "env PYTHONPATH=src CI=1 pytest -q",
        "CI=1 FORCE_COLOR=0 NODE_ENV=test TESTING=1 pytest -q",
        "DJANGO_SETTINGS_MODULE=config.test pytest -q",
    ],
)
def test_a_command_is_matched_without_its_harmless_variables(command: str) -> None:
    found = analyzed(command)
    assert (found.complete, "pytest -q" in found.patterns) == (True, True)
    assert not any("=" in pattern for pattern in found.patterns if not pattern.startswith("env "))


@pytest.mark.parametrize(
    "variable",
    [
        "PATH=src", "LD_PRELOAD=./x.so", "GIT_DIR=x", "PYTHONSTARTUP=x.py", "NODE_OPTIONS=-r=./x", "BASH_ENV=x",
        "PYTHONHOME=.", "PYTEST_PLUGINS=x", "PYTEST_ADDOPTS=-px", "PYTHONPATH=../x", "PYTHONPATH=/usr", "FOO=1",
    ],
)  # fmt: skip
def test_a_variable_that_can_change_what_runs_makes_the_command_incomplete(variable: str) -> None:
    found = analyzed(f"{variable} pytest -q")
    outside = variable.startswith("PYTHONPATH") and bool(found.external_directories)
    assert outside or not found.complete


def test_the_folders_of_the_path_are_places_of_the_command() -> None:
    assert "/workspace/web/src" in {use.path for use in analyzed("cd web && PYTHONPATH=src pytest").paths}


@pytest.mark.parametrize(
    "command",
    ["pip list", "yamllint .", "python3 -m json.tool x.json", "python3 --version", "bash -c pytest", "black ."],
)
def test_a_program_that_does_not_run_the_projects_code_must_not_get_them(command: str) -> None:
    assert not analyzed(f"export PYTHONPATH=src && pytest -q && {command}").complete


@pytest.mark.parametrize(
    "next_one", ["pytest -q tests/b.py", "PYTHONPATH=src pytest -x", "CI=1 pytest --lf", "cd src && pytest ../tests"]
)
def test_always_for_a_command_with_variables_fits_the_next_variation(next_one: str) -> None:
    always = analyzed("PYTHONPATH=src pytest tests/a.py").always
    rules = preferences(agent="build", preset="cautious", grants=[Rule("bash", pattern, "allow") for pattern in always])
    found = analyzed(next_one)
    assert always == ("pytest *",)
    assert found.complete
    assert {decide(Request("bash", pattern), rules).action for pattern in found.patterns} == {"allow"}
