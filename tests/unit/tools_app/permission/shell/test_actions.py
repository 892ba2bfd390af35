"""Options before a program's subcommand hide neither the subcommand nor a command that it runs."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.actions import forwarded_commands, options_before
from tools_app.permission.shell.words import Field


def _fields(text: str) -> list[Field]:
    return [Field(each) for each in text.split()]


def _texts(words: list[Field]) -> str:
    return " ".join(each.text for each in words)


@pytest.mark.parametrize(
    ("command", "action"),
    [
        ("poetry -q run pytest", "run pytest"),
        ("poetry -C d run pytest", "run pytest"),
        ("cargo +nightly --quiet run", "run"),
        ("docker --context x run a", "run a"),
        ("docker --log-level=debug run a", "run a"),
        ("uv --directory d --offline run x", "run x"),
        ("npm --loglevel silent exec x", "exec x"),
        ("go -C d run x", "run x"),
        ("tox -e py311", ""),
        ("cargo --version", ""),
        ("frob --x run y", "--x run y"),
    ],
)
def test_the_action_is_found_behind_options(command: str, action: str) -> None:
    name, *args = command.split()
    found = options_before(name, [Field(each) for each in args])
    assert _texts(found.rest) == action
    assert found.doubts == []


@pytest.mark.parametrize(
    "command", ["poetry --frob d run x", "npm --frob exec x", "uv --frob run x", "docker --frob x"]
)
def test_an_option_that_no_table_lists_leaves_the_action_in_doubt(command: str) -> None:
    name, *args = command.split()
    assert options_before(name, [Field(each) for each in args]).doubts
    assert not analyzed(command).complete


@pytest.mark.parametrize(
    ("action", "commands"),
    [
        ("git push", ["git push"]),
        ("run git push", ["git push"]),
        ("workspace a exec git push", ["git push"]),
        ("workspaces foreach -A git push", ["git push", "git push"]),
        ("foreach --x a git push", ["a git push", "a git push"]),
        ("add git", []),
        ("", []),
    ],
)
def test_script_runners_forward_to_a_command(action: str, commands: list[str]) -> None:
    assert [_texts(each) for each in forwarded_commands(_fields(action))] == commands


@pytest.mark.parametrize(
    ("command", "inner"),
    [
        ("npm run env -- git push", "git push"),
        ("poetry -q run rm a", "rm a"),
        ("yarn node a.js", "node a.js"),
        ("mvn exec:exec -Dexec.executable=git -Dexec.args='push origin'", "git push origin"),
    ],
)
def test_what_an_action_runs_counts_as_a_command(command: str, inner: str) -> None:
    assert inner in {" ".join(each.words) for each in analyzed(command).commands}


@pytest.mark.parametrize(
    ("command", "spelling"),
    [
        ("docker compose -f a.yml push", "docker compose push"),
        ("docker-compose -f a.yml push", "docker compose push"),
        ("python3 -Imtwine upload x", "python3 -m twine upload x"),
        ("python3 -m flit_core publish", "flit-core publish"),
        ("npx netlify-cli@17 deploy", "netlify deploy"),
    ],
)
def test_a_command_also_has_the_names_that_rules_use(command: str, spelling: str) -> None:
    found = analyzed(command)
    assert spelling in {*found.spellings, *found.patterns}


def test_an_action_is_done_in_the_folder_to_which_options_lead() -> None:
    assert "/workspace/d/a.txt" in {each.path for each in analyzed("poetry -C d run cat a.txt").paths}
