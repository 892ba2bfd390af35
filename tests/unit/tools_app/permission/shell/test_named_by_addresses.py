"""Files and folders that are named after the end of an address."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed, touched


@pytest.mark.parametrize(
    "command",
    [
        "git clone -q https://a/x/b", "git clone --depth 1 git@a:x/b.git", "git clone a:b.git/",
        "git clone /x/b.bundle",
        "git-clone https://a/b/.git", "git submodule add -f https://a/b", "gh repo clone x/b", "svn co https://a/b@12",
        "hg clone -r 1 https://a/b", "npx degit x/b#main", "aria2c 'https://a/b?c=d'", "jj git clone https://a/%62",
    ],
)  # fmt: skip
def test_the_end_of_the_address_is_a_name(command: str) -> None:
    assert "/workspace/b" in analyzed(command).words


def test_the_name_may_be_protected() -> None:
    assert "/workspace/.agentsite" in analyzed("git clone https://a/.agentsite.git").possible


@pytest.mark.parametrize(
    "command", ["git fetch https://a/x/b", "gh repo view x/b", "svn info https://a/b", "git clone b"]
)
def test_other_commands_name_nothing(command: str) -> None:
    assert "/workspace/b/any" not in analyzed(command).words


@pytest.mark.parametrize(
    "command", ["git subtree add -P b https://a/x c", "git subtree -Pb pull x", "git subtree merge --pre=b x"]
)
def test_a_subtree_is_written_into_its_folder(command: str) -> None:
    assert "/workspace/b" in touched(command, "write")


def test_a_fragment_is_no_part_of_a_name() -> None:
    assert "/workspace/./b" in touched("curl -O https://a/b#c", "write")
