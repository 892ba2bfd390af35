"""Commands that scripts of `sed` run are judged like other commands."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.sed_commands import sed_commands


@pytest.mark.parametrize(
    ("script", "command"),
    [
        ("1e ssh host", "ssh host"),
        ("1,/a/ !essh host", "ssh host"),
        ("0~2e ssh host", "ssh host"),
        (r"\,a,Ie ssh host", "ssh host"),
        ("p;s/a/b/;e ssh host", "ssh host"),
        (":a;b a;$!{e ssh host", "ssh host"),
        ("/[/]/e ssh host", "ssh host"),
        ("s/.*/ssh &/ge", "ssh $LINE"),
        (r"s|\(a\)|ssh \1 \& \||pe", r"ssh $LINE \& |"),
        ("s/[/]/ssh host/2e", "ssh host"),
        ("s/a/ssh\\nhost/e", "ssh\nhost"),
        ("e", ""),
    ],
)
def test_commands_are_found(script: str, command: str) -> None:
    assert list(sed_commands(script)) == [command]


@pytest.mark.parametrize(
    "script", ["s/e/ssh host/", "y/e/x/", "1a e ssh host", "b end;:end", "s/a/b/w e", "r e x", "s/a"]
)
def test_other_scripts_run_none(script: str) -> None:
    assert not list(sed_commands(script))


def test_a_program_of_one_word_is_judged_by_its_name() -> None:
    assert "ssh host id" in analyzed("sed '1e ssh host id' words.txt").patterns
