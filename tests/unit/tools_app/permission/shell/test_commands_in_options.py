"""Commands in the values of options are judged like other commands, also where they are joined to letters."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed


@pytest.mark.parametrize(
    "command",
    [
        "git difftool -xrm",
        "git difftool -yxrm HEAD~1",
        "git difftool --ext=rm",
        "git rebase -ixrm HEAD~1",
        "git clone -urm . x",
        "git -c core.pager=rm log",
        "script -qcrm log",
        "script --comm rm log",
        "su agent -lcrm",
        "tar -cIrm -f a.tar src",
        "tar -cf a.tar --checkpoint-action=exec=rm src",
        "rsync -aerm a b",
        "zip -TTTrm a.zip b",
        "make SHELL=rm",
        "less +!rm log",
        "tcpdump -zrm -G1 -w log",
        "gs -sOutputFile=%pipe%rm a.ps",
        "gs -o %PIPE%rm a.ps",
        "ps2pdf a.ps %pipe%rm",
        "perl a.pl 'rm|'",
        "sox '|rm' a.wav",
        "ugrep --filter=txt:rm one",
        "ug --filter 'md:cat %,*:rm' one",
    ],
)
def test_the_command_of_an_option_is_judged(command: str) -> None:
    assert "rm" in analyzed(command).patterns


@pytest.mark.parametrize(
    "command",
    ["rsync -avrm a b", "tar -xvf rm", "script rm", "git difftool -y rm", "less +rm log", "ugrep --filter=rm:cat a"],
)
def test_other_words_are_no_commands(command: str) -> None:
    assert "rm" not in analyzed(command).patterns


@pytest.mark.parametrize("command", ["foo -c'ssh host id'", "foo -qc'true; ssh host id'"])
def test_a_command_joined_to_an_option_of_any_program_is_seen(command: str) -> None:
    assert any(each.split()[:3] == ["ssh", "host", "id"] for each in analyzed(command).spellings)


@pytest.mark.parametrize(
    ("command", "folder"),
    [
        ("compgen -d a/", "/workspace/a"),
        ("compgen -A file -- a/b", "/workspace/a"),
        ("compgen -f -P x a/b/c", "/workspace/a/b"),
        ("compgen -G 'a/*'", "/workspace/a"),
        ("compgen -G 'a*/*'", "/workspace/a*"),
        ("compgen -f a", "/workspace/."),
    ],
)
def test_names_that_bash_completes_are_listed(command: str, folder: str) -> None:
    assert folder in {use.path for use in analyzed(command).paths if use.directory or use.glob}


@pytest.mark.parametrize("value", ["txt:rm %", "pdf,ps:ps2txt %,*:rm %"])
def test_the_commands_of_filters_are_judged(value: str) -> None:
    assert "rm %" in analyzed(f"ugrep --filter='{value}' x").patterns
    assert "rm %" in analyzed(f"ug -r --filter '{value}' x").patterns
