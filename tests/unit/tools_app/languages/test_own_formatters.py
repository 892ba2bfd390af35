"""Formatter commands of the configuration: the form in which they are judged and run."""

from typing import Any

import pytest

from tools_app.languages.own_formatters import own_formatter_for


def typed(path: str, **fields: Any) -> str:
    formatter = own_formatter_for(path, {"prettier": fields})
    return formatter.typed(path) if formatter else ""


@pytest.mark.parametrize(
    ("path", "fields", "expected"),
    [
        ("a.ts", {"command": ["npx", "prettier", "--write", "$FILE"]}, "npx prettier --write a.ts"),
        ("a.x", {"command": ["f", "$FILE"], "extensions": ["x"]}, "f a.x"),
        ("a;b.x", {"command": ["f", "--in=$FILE"], "extensions": [".X"]}, "f '--in=a;b.x'"),
        ("a.x", {"command": ["f"], "extensions": [".x"], "environment": {"A": "b c"}}, "A='b c' f"),
        ("a.x", {"command": ["f"], "extensions": [".x"], "environment": {"A;rm": "b"}}, ""),
        ("a.x", {"command": ["f"], "extensions": [".x"], "disabled": True}, ""),
        ("a.x", {"command": [], "extensions": [".x"]}, ""),
        ("a.x", {"command": ["f"]}, ""),
        ("Makefile", {"command": ["f"], "extensions": [""]}, ""),
    ],
)
def test_a_command_is_judged_as_it_is_run(path: str, fields: dict[str, Any], expected: str) -> None:
    assert typed(path, **fields) == expected


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"WORD": "x", "NODE_ENV": "y"}, []),
        ({"WORD": "x", "LD_PRELOAD": "./a.so", "PYTHONPATH": "."}, ["LD_PRELOAD", "PYTHONPATH"]),
    ],
)
def test_variables_that_change_what_runs_are_known(environment: dict[str, str], expected: list[str]) -> None:
    formatter = own_formatter_for("a.x", {"f": {"command": ["f"], "extensions": [".x"], "environment": environment}})
    assert formatter is not None
    assert formatter.powerful == expected
    assert formatter.bare("a.x") == "f"
