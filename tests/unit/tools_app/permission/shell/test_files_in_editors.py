"""Files that commands of vi-like editors name directly behind the command are seen."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.named import named_files


@pytest.mark.parametrize(
    "command",
    [
        "ex -sc '0r.env|%p|q!' words.txt",
        "ex -sc 'sil r./.env' words.txt",
        "ex -sc '/a/r.env' words.txt",
        "ex -sc 'e!.env|%p'",
        "ex -sc 'w>>.env|q'",
        "vim -es -c'tabe.env' -c%p",
        "nvim --headless +r.env",
        "ex -s words.txt <<< 'r.env'",
        "printf 'r.env\\n' | ex -s words.txt",
    ],
)
def test_a_file_behind_a_command_is_seen(command: str) -> None:
    assert "/workspace/.env" in named_files(analyzed(command).codes, ("/workspace",), "/home/agent")


def test_the_end_of_a_name_is_no_name() -> None:
    codes = analyzed("ex -sc '%s/a/b/|x' src/app.git").codes
    assert "/workspace/.git" not in named_files(codes, ("/workspace",), "/home/agent")
