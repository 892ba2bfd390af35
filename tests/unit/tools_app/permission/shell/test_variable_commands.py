"""Commands in values of variables that are not written like commands: behind signs, and as lists."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.variable_commands import commands_in_settings, commands_of_value


@pytest.mark.parametrize(
    ("name", "value", "commands"),
    [
        ("LESSOPEN", "||-rm a %s", ["rm a %s"]),
        ("LESSCLOSE", "- rm a", ["rm a"]),
        ("MANPAGER", "-rm a", ["rm a"]),
        ("CMAKE_C_COMPILER_LAUNCHER", "git;push", ["git push"]),
        ("CFLAGS", "-O2 -wrapper git,push", ["git push"]),
        ("PAGER", "less -R", []),
        ("CMAKE_C_COMPILER_LAUNCHER", "ccache", []),
        ("GREP_OPTIONS", "-rm 1", []),
        ("CFLAGS", "-O2", []),
    ],
)
def test_commands_of_a_value(name: str, value: str, commands: list[str]) -> None:
    assert list(commands_of_value(name, value)) == commands


def test_settings_in_files() -> None:
    assert list(commands_in_settings("#env\nLESSOPEN=-rm a\nLESS=-R b\nPAGER = '|-git push'")) == ["rm a", "git push'"]


@pytest.mark.parametrize(
    "command",
    [
        "LESSOPEN='||-r\"\"m a' less b",
        "LESSOPEN='|-r$@m a' less b",
        "export LESSOPEN='-r\\m a'; less b",
        "declare -x LESSCLOSE='-rm a'; less b",
        "printf -v LESSOPEN '%s' '-rm a'; export LESSOPEN; less b",
        "read -r LESSOPEN <<< '-rm a'; export LESSOPEN; less b",
        "printf '#env\\nLESSOPEN=-r\"\"m a\\n' > k; less --lesskey-src=k b",
        "CFLAGS='-wrapper rm,a' ./configure",
    ],
)
def test_the_command_in_a_variable_is_mentioned(command: str) -> None:
    assert "rm a" in analyzed(command).mentions


def test_options_of_ssh_are_no_command() -> None:
    assert not any(each.startswith("ssh a") for each in analyzed("GIT_SSH_COMMAND='ssh -i key' git fetch").mentions)
