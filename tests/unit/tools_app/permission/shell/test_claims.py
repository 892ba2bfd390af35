"""The analysis confirms the claims about commands in `claims.toml`, such as the files that a command reads."""

import pytest

from tests.corpora.shell.claims import CLAIMS, missing
from tests.unit.tools_app.permission.shell.support import analyzed


@pytest.mark.parametrize("command", CLAIMS)
def test_the_analysis_says_what_a_command_does(command: str) -> None:
    assert missing(command, analyzed(command)) == []


def test_files_that_are_too_many_to_list_make_a_copy_incomplete() -> None:
    assert analyzed(f"cp {'a ' * 900} x").complete
    assert not analyzed(f"cp {'a ' * 1001} x").complete
