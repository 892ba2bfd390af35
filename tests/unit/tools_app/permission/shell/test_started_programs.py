"""Programs without a table that other programs start."""

from collections.abc import Sequence

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.started_programs import started

_USUAL = {"git push", "npm publish", "serverless deploy"}


@pytest.mark.parametrize(
    ("command", "name", "words"),
    [
        ("frob a b", "frob", ["a", "b"]), ("/usr/bin/frob a", "frob", ["a"]), ("git -C . frob a", "git-frob", ["a"]),
        ("cargo +nightly -q frob a", "cargo-frob", ["a"]), ("go tool frob a", "frob", ["a"]),
        ("go run example.org/a/frob@latest a", "frob", ["a"]), ("dotnet tool run frob a", "frob", ["a"]),
        ("deno run -A npm:@a/frob@1 a", "frob", ["a"]), ("node ./node_modules/frob/cli.js a", "cli", ["a"]),
        ("python3 .venv/bin/frob a", "frob", ["a"]), ("python3 -u -m frob a", "frob", ["a"]),
        ("uvx --from x frob a", "frob", ["a"]), ("pipx run frob==1 a", "frob", ["a"]),
        ("strace -f nice /usr/bin/frob a", "frob", ["a"]), ("frob exec grob a", "grob", ["a"]),
        ("frob tool run grob a", "grob", ["a"]), ("frob run -- grob a", "grob", ["a"]),
        ("conda run -n x grob a", "grob", ["a"]), ("tox exec -- grob a", "grob", ["a"]),
        ("devbox run -- grob a", "grob", ["a"]),
    ],
)  # fmt: skip
def test_a_program_is_found(command: str, name: str, words: Sequence[str]) -> None:
    program, *given = command.split()
    assert (name, words) in [(each, list(rest)) for each, rest in started(program, given)]


@pytest.mark.parametrize(
    "command",
    [
        "git commit a", "git-commit a", "git flow a", "cargo build frob", "go run ./cmd/frob a", "node frob.js a",
        "python3 frob.py a", "python3 -m frob.cli a", "./frob a", "bin/frob a", "make frob",
        "npm run a -- frob b", "moon run a frob", "uvx ruff frob",
        "watch ls frob",
    ],
)  # fmt: skip
def test_programs_of_the_project_or_of_tables_are_not(command: str) -> None:
    program, *given = command.split()
    assert not list(started(program, given))


@pytest.mark.parametrize("command", ["git stash push", "git branch release", "git-checkout release", "cargo run push"])
def test_words_of_known_commands_do_not_count(command: str) -> None:
    assert _USUAL.isdisjoint(analyzed(command).spellings)


@pytest.mark.parametrize("command", ["git frob push", "git-frob push", "cargo frob push", "go tool frob push"])
def test_words_of_plugins_count(command: str) -> None:
    assert "git push" in analyzed(command).spellings
