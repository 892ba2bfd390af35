"""Names in words of unknown programs of which only another part looks like a path."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("npx del-cli 'l*/tea.csv'", "/workspace/l*/tea.csv"),
        ("frob --files='**/*.csv'", "/workspace/**/*.csv"),
        ("frob --bind internal:/x", "/workspace/internal"),
        ("frob --bind=internal:/x", "/workspace/internal"),
        ("frob -B /tmp,internal:/x", "/workspace/internal"),
        ("jo a=%internal/token.txt", "/workspace/internal/token.txt"),
        ("cd src && frob @app/x", "/workspace/src/app/x"),
    ],
)
def test_a_part_may_be_a_name(command: str, name: str) -> None:
    assert name in analyzed(command).words


@pytest.mark.parametrize("command", ["frob x=%secret", "frob @secret", "http x body=@secret"])
def test_a_name_behind_a_sign_may_be_a_link(command: str) -> None:
    assert "/workspace/secret" in analyzed(command).names


def test_a_secret_may_stand_behind_a_percent_sign() -> None:
    assert "/workspace/.env" in analyzed("jo a=%.env").possible


@pytest.mark.parametrize(
    "command", ["frob https://x.example/a", "frob git@x.example:a/b", "frob src/app.py", "date +%s"]
)
def test_addresses_and_plain_paths_have_no_such_parts(command: str) -> None:
    assert not {"/workspace/https", "/workspace/git@x.example", "/workspace/src", "/workspace/s"} & {
        *analyzed(command).words
    }
