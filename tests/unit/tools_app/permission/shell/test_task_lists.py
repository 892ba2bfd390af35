"""Each task in a list of tasks is a command of its own, and what leaves the container is found under other names."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.leaving import COMMANDS
from tools_app.permission.wildcard import match


def _leaves(command: str) -> bool:
    found = analyzed(command)
    return any(match(text, wildcard) for text in (*found.patterns, *found.spellings) for wildcard in COMMANDS)


@pytest.mark.parametrize(
    ("command", "task"),
    [
        ("mix do compile, hex.publish", "mix hex.publish"),
        ("mix do compile + hex.publish --yes", "mix hex.publish --yes"),
        ("rebar3 as prod do compile, hex publish", "rebar3 hex publish"),
        ("rebar3 as prod hex publish", "rebar3 hex publish"),
        ("lein with-profile +x do jar, deploy clojars", "lein deploy clojars"),
    ],
)
def test_a_task_in_a_list_is_a_command(command: str, task: str) -> None:
    assert task in analyzed(command).spellings


@pytest.mark.parametrize(
    "command",
    [
        "svn del svn://x/y", "svn ren https://x https://y", "cabal v2-upload x", "flutter packages pub publish",
        "dart pub lish", "dvc experiments push", "nerdctl image push x", "cvs -q commit -m x", "fossil -R r ci",
    ],
)  # fmt: skip
def test_what_leaves_the_container_is_found_under_other_names(command: str) -> None:
    assert _leaves(command)


@pytest.mark.parametrize(
    "command",
    [
        "mix do compile, test", "mix do deps.get + test", "lein do clean, test", "rebar3 as test ct", "svn rm a.py",
        "svn cp a.py b.py", "svn status", "cvs update", "dart pub get", "flutter pub upgrade", "dvc exp show",
        "brew install jq", "gradle test --tests UploadTest", "nx test a", "nx build a", "ng build", "cdk synth",
        "bundle install", "composer install", "docker image ls", "cargo clippy", "npm ci", "wasm-pack build",
        "gleam test", "poetry show", "pod install", "cabal build", "nix build", "fossil status", "hg pull",
    ],
)  # fmt: skip
def test_everyday_commands_do_not_leave_it(command: str) -> None:
    assert not _leaves(command)
