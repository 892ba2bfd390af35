"""Variables whose values make programs log in to other machines, for which rules about `ssh` hold."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed


@pytest.mark.parametrize(
    ("command", "machine"),
    [
        ("PARALLEL='-S a@b' parallel uptime", "a@b"), ("TAPE=a@b:x.tar tar c src", "a@b"), ("export TAPE=b:x", "b"),
        ("BORG_REPO=a@b:r borg list", "a@b"), ("env DISTCC_HOSTS='localhost a@b/4' make", "a@b"),
        ("PYTEST_ADDOPTS='--hosts=b' pytest", "b"), ("DOCKER_HOST=ssh://a@b; export DOCKER_HOST; docker ps", "a@b"),
        ("set -a; DOCKER_HOST=ssh://a@b; docker ps", "a@b"), ("X=sftp://b/r; export X; ./a.sh", "b"),
        ("readonly X=ssh://b", "b"), ("declare -x X=ssh://b", "b"),
    ],
)  # fmt: skip
def test_a_variable_that_names_a_machine_is_a_login(command: str, machine: str) -> None:
    found = analyzed(command)
    assert f"ssh {machine}" in found.spellings
    assert not found.complete


@pytest.mark.parametrize(
    "command",
    [
        "PARALLEL='-j 4' parallel echo", "TAPE=x.tar tar c src", "BORG_REPO=/r borg list", "X=ssh://b; echo $X",
        "DISTCC_HOSTS=localhost make", "PYTEST_ADDOPTS=-q pytest", "DOCKER_HOST=unix:///run/x.sock docker ps",
        "GIT_CONFIG_VALUE_0=ssh://b/x git fetch", "export VITE_URL=ssh://b",
    ],
)  # fmt: skip
def test_other_variables_are_not(command: str) -> None:
    found = analyzed(command)
    assert not [each for each in found.spellings if each.startswith("ssh ")]
