"""Secrets in the home directory that a command reads although its words name no file."""

import time

import pytest

from tests.unit.tools_app.permission.shell.support import touched
from tools_app.permission.shell.code_places import unnamed_files
from tools_app.permission.shell.default_secrets import touch_default_secrets
from tools_app.permission.shell.usage import CommandUsage
from tools_app.permission.shell.words import Field


@pytest.mark.parametrize(
    "command", ["ssh-add", "ssh-add -q", "ssh-add -t 60", "ssh-add -t60 -q", "ssh-add -K", "eval $(ssh-agent); ssh-add"]
)
def test_the_keys_of_the_user_are_read(command: str) -> None:
    assert "/home/agent/.ssh/id_rsa" in touched(command, "read")


@pytest.mark.parametrize("command", ["mysql --print-defaults", "my_print_defaults client"])
def test_the_settings_of_a_client_are_read(command: str) -> None:
    assert "/home/agent/.my.cnf" in touched(command, "read")


@pytest.mark.parametrize("command", ["ssh-add -l", "ssh-add -L", "ssh-add -D", "ssh-add a", "mysql -e x", "ssh-agent"])
def test_other_commands_read_none(command: str) -> None:
    assert not any("/home/agent/" in each for each in touched(command, "read"))


@pytest.mark.parametrize(
    ("code", "reads"),
    [
        ("ssh-add; ssh-add -L", True),
        ("ssh-add -t 60", True),
        ('run(["ssh-add"])', True),
        ("ssh-add -l", False),
        ("ssh-add keys/a", False),
        ("git add", False),
    ],
)
def test_code_reads_the_keys(code: str, reads: bool) -> None:
    assert ("~/.ssh/id_rsa" in unnamed_files(code)) == reads


def test_long_words_take_little_time() -> None:
    began = time.process_time()
    touch_default_secrets("ssh-add", [Field("-t" + "a" * 90_000), *[Field("-q")] * 9_000], CommandUsage())
    list(unnamed_files("ssh-add -q" * 9_000 + " -q" * 9_000))
    assert time.process_time() - began < 1
