"""The page that compares us with OpenCode names every tool, parameter, key and agent, and only existing tests."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from sessions_app.agent.built_in import BUILT_IN
from sessions_app.configuration.document import NAMES
from tools_app.registry import catalogue
from tools_app.spec import Tool

REPOSITORY: Final = Path(__file__).parents[3]
PAGE: Final = REPOSITORY / "docs" / "opencode-compat.md"
VERDICTS: Final = ("works", "differs", "not applicable")
_NAME: Final = re.compile(r"`([^`]+)`")


def _rows() -> list[list[str]]:
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in rows if row[0] != "what"]


ROWS: Final = _rows()


@cache
def _tests_of(path: str) -> frozenset[str]:
    tree = ast.parse((REPOSITORY / path).read_text())
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(node.name for node in functions if node.name.startswith("test_"))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_has_a_verdict_a_reason_and_a_test_that_exists(row: list[str]) -> None:
    _, verdict, how, test = row
    path, _, name = test.strip("`").partition("::")

    assert verdict in VERDICTS
    assert how or verdict == "works"
    assert name in _tests_of(path)


def _named(tool: str) -> set[str]:
    rows = (_NAME.findall(row[0]) for row in ROWS)
    return {name for names in rows if names and names[0] == tool for name in names[1:]}


@pytest.mark.parametrize("tool", catalogue().values(), ids=lambda tool: tool.id)
def test_every_tool_is_there_with_every_parameter(tool: Tool[Any]) -> None:
    assert any(_NAME.findall(row[0])[:1] == [tool.id] for row in ROWS)
    assert set(tool.parameters.model_json_schema()["properties"]) <= _named(tool.id)


@pytest.mark.parametrize("key", NAMES)
def test_every_key_of_a_configuration_is_there(key: str) -> None:
    assert any(row[0] == f"`{key}`" for row in ROWS)


@pytest.mark.parametrize("agent", sorted(BUILT_IN))
def test_every_agent_is_there(agent: str) -> None:
    assert any(row[0] == f"`{agent}`" for row in ROWS)
