"""Folders that the repository's settings name, such as `core.hooksPath`, may contain files that control git, so every
change of a file in such a folder is judged by the rules."""

import pytest

from tests.support.command_bench import Bench, bench, shared_bench
from tools_app.git_steering import named_paths

__all__ = ["bench", "shared_bench"]
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize(
    "settings",
    [
        "[core]\n\thooksPath = tools/hooks\n",
        "[Core]\n\tHOOKSPATH=tools/hooks ; ours\n",
        '[core] hookspath = "tools/hooks"\n',
        "[core]\n\thooksPath = /workspace/tools/hooks/\n",
    ],
)
async def test_a_folder_for_hooks_is_one_whatever_it_is_called(bench: Bench, settings: str) -> None:
    bench.write("tools/hooks/pre-commit", "")
    changes = ["echo x > tools/hooks/pre-commit", "cp src/app.py tools/hooks", "cp src/app.py tools/hooks/"]
    bench.write(".git/config", "[core]\n\tbare = false\n")
    assert await bench.action_of_call("bash", command=changes[0]) == "allow"
    assert await bench.action_of_call("write", filePath="tools/hooks/pre-push", content="x") == "allow"
    bench.write(".git/config", settings)
    assert [await bench.action_of_call("bash", command=each) for each in changes] == ["ask"] * 3
    assert await bench.action_of_call("write", filePath="tools/hooks/pre-push", content="x") == "ask"
    assert await bench.action_of_call("write", filePath="tools/other", content="x") == "allow"
    assert await bench.action_of_call("read", filePath="tools/hooks/pre-commit") == "allow"


@pytest.mark.parametrize("command", ["git init -q", "git init .", "cd src && git init ..", "git -C src init ../"])
async def test_git_init_changes_the_hooks_of_a_repository_that_exists(bench: Bench, command: str) -> None:
    bench.write("src/app.py", "")
    assert await bench.action(command, preset="contained") == "allow"
    bench.write(".git/config", "")
    assert await bench.action(command, preset="contained") == "ask"
    assert await bench.action("git init -q src && git init x", preset="contained") == "allow"


async def test_settings_that_are_included_count(bench: Bench) -> None:
    bench.write(".git/config", "[include]\n\tpath = ../shared.gitconfig\n")
    bench.write("shared.gitconfig", "[core]\n\thooksPath = tools\n")
    assert await bench.action_of_call("write", filePath="shared.gitconfig", content="x") == "ask"
    assert await bench.action_of_call("write", filePath="tools/pre-push", content="x") == "ask"


async def test_only_settings_that_name_files_count() -> None:
    text = '[remote "path"]\npath = a\n[core]\npath = b\nfsmonitor = c\n[includeIf "gitdir:x"]\npath = ~/d\n'
    assert list(named_paths(text)) == [(".git/hooks/fsmonitor", "c"), (".git/config", "/home/agent/d")]
