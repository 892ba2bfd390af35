"""Files from which programs read further arguments."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed


@pytest.mark.parametrize(
    "command",
    ["java @a/b Main", "kotlinc @a/b", "go build @a/b", "rsync -f'merge_a/b' src x", "rsync -f'.,C_a/b' src x"],
)
def test_the_file_is_a_word(command: str) -> None:
    assert "/workspace/a/b" in analyzed(command).words


@pytest.mark.parametrize("command", ["echo @a/b", "cat @a/b", "git log @{u}", "java a/b@c"])
def test_other_words_name_no_such_file(command: str) -> None:
    assert "/workspace/a/b" not in analyzed(command).words
