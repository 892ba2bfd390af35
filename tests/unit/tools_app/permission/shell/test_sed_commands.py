"""Commands that scripts of `sed` run, and files that they name, are judged like others."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.sed_commands import sed_commands, sed_files


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
        (r"s/a/ssh\x20host/e", "ssh host"),
        (r"s/a/ssh\o40host/e", "ssh host"),
        (r"s/a/ssh\d032host/e", "ssh host"),
        (r"s/a/ssh\thost/e", "ssh\thost"),
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


@pytest.mark.parametrize(
    ("script", "file"),
    [
        ("s/[/]/x/w a b", ("a b", "write")), ("sxfooxbarxwa", ("a", "write")), ("s foo bar gw a", ("a", "write")),
        ("1!{y/w/ /;wa\n}", ("a", "write")), ("swawbw2Ipwa", ("a", "write")), (r"\w/w,$!Wa", ("a", "write")),
        ("y r x ;ra", ("a", "read")), ("# w b\nR\ta", ("a", "read")), ("a\\\nw b\nwa", ("a", "write")),
        (":w b;wa", ("a", "write")),
    ],
)  # fmt: skip
def test_files_are_found(script: str, file: tuple[str, str]) -> None:
    assert list(sed_files(script)) == [file]


@pytest.mark.parametrize("script", ["s/w/r/", "y/w/r/", "1a w x", "/w x/d", "bw", "e w x", "w", r"\rwrd"])
def test_other_scripts_name_none(script: str) -> None:
    assert not list(sed_files(script))


def test_a_script_in_pieces_is_one_script() -> None:
    found = analyzed("sed -n -e 'a\\' -e 'w x' -e 'w HEAD' words.txt")
    assert [each.path.rpartition("/")[2] for each in found.paths if each.mode == "write"] == ["HEAD"]


def test_a_script_may_be_the_input() -> None:
    assert "./HEAD" in analyzed("sed -f - words.txt <<< 'sxaxbxwHEAD'").codes
