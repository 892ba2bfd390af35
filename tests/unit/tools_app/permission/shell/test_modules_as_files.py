"""Names of modules with dots mean files in folders."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.code_places import place_of_module, places_in_code


@pytest.mark.parametrize(
    "code",
    [
        "import a.b", "from a.b import c", 'require("a.b")', "require 'a.b'", "x = require('a.b')", "use a.b;",
        "import os\nimport a.b as c",
    ],
)  # fmt: skip
def test_code_that_loads_a_module_names_its_file(code: str) -> None:
    assert "a/b" in list(places_in_code(code))


def test_other_code_with_dots_names_no_file() -> None:
    assert "a/b" not in list(places_in_code("print(a.b); x = 'a.b'"))


@pytest.mark.parametrize(("name", "place"), [("a.b", "a/b"), ("a.b.c", "a/b/c"), ("a", ""), ("./a.b", ""), ("-l", "")])
def test_only_names_with_dots_are_modules(name: str, place: str) -> None:
    assert place_of_module(name) == place


@pytest.mark.parametrize("command", ["lua -l a.b -e 1", "lua5.4 -la.b -e 1", "python -W x -m a.b"])
def test_an_option_that_loads_a_module_names_its_file(command: str) -> None:
    assert "a/b" in analyzed(command).codes


def test_python_reads_the_file_and_the_folder_of_a_module() -> None:
    assert {"/workspace/a", "/workspace/a/b.py"} <= set(analyzed("python -m a.b").words)


def test_the_words_behind_a_module_are_none() -> None:
    assert not [each for each in analyzed("python -m http.server 80").words if each.endswith("80.py")]
