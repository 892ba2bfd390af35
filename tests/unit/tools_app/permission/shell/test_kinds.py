"""Options that name endings let a tool read files of these kinds, too."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed


@pytest.mark.parametrize(
    ("command", "folder", "glob"),
    [
        ("cpplint --extensions=cc,env --recursive config", "config", "*.env"),
        ("cpplint --recursive config --extensions env", "config", "*.env"),
        ("busted -p '%.env$' config", "config", "*.env"), ("remark config --ext env", "config", "*.env"),
        ("remark -e env config", "config", "*.env"), ("jest --testRegex '\\.env$'", ".", "*.env"),
        ("python -m unittest discover -p '*.env'", ".", "*.env"), ("ava --extension=env", ".", "*.env"),
        ("python -m unittest discover -s config -p '*.env'", "config", "*.env"),
        ("phpmd config text codesize --suffixes env", "config", "*.env"),
        ("tap --test-regex='.*\\.(txt|env)$' config", "config", "*.env"),
        ("frob --glob '**/*.env' config", "config", "*.env"),
    ],
)  # fmt: skip
def test_the_tool_reads_files_with_the_ending(command: str, folder: str, glob: str) -> None:
    found = [(use.path, use.only) for use in analyzed(command).paths if use.mode == "read" and use.only]
    assert any(path == f"/workspace/{folder}" and glob in only for path, only in found)


@pytest.mark.parametrize(
    "command",
    [
        "frob --exclude-ext env config", "frob --ignore-pattern '*.env' config", "frob --skip-glob '*.env' config",
        "frob -x '*.env' config", "frob -p 8080 config", "frob --match name config", "tox -e env", "frob --next env",
        "frob --text env",
    ],
)  # fmt: skip
def test_other_options_add_no_files(command: str) -> None:
    assert not [use for use in analyzed(command).paths if use.only]
