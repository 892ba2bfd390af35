"""Tools that change settings in the home directory, which their words do not name."""

import pytest

from tests.unit.tools_app.permission.shell.support import touched


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("tic x.ti", "/home/agent/.terminfo"), ("mysql_config_editor set --user=a", "/home/agent/.mylogin.cnf"),
        ("pmap -n", "/home/agent/.pmaprc"), ("pmap -Xn 1", "/home/agent/.pmaprc"),
        ("ssh-keygen", "/home/agent/.ssh"), ("nstat", "/tmp/.nstat.u0"),
        ("cvs -d :pserver:a@b:/c login", "/home/agent/.cvspass"),
        ("flatpak --user install a", "/home/agent/.config/flatpak"), ("http --session=a b", "/home/agent/.config/http"),
        ("starship config a b", "/home/agent/.config/starship"), ("k3d cluster create", "/home/agent/.config/k3d"),
    ],
)  # fmt: skip
def test_the_setting_is_written(command: str, path: str) -> None:
    assert path in touched(command, "write")


@pytest.mark.parametrize(
    "command",
    [
        "mysql_config_editor print --all", "lxc remote list", "http a.b", "brew list",
        "nuget sources list", "updmap --listmaps", "vagrant plugin list", "task list", "infocmp xterm", "nuget restore",
        "pmap -x 1", "pmap 1 --range a,n",
    ],
)  # fmt: skip
def test_other_actions_write_none(command: str) -> None:
    assert not [each for each in touched(command, "write") if each.startswith("/home/agent/")]
