"""Paths through the folders and open files of a process lead to places that only the process knows."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.paths import leads_through_process


@pytest.mark.parametrize(
    "path",
    [
        "/proc/net/../cwd/x", "/proc/net/../../self/cwd/x", "/proc/./net/..//root/x", "/proc/n*/../cwd/x",
        "/proc/self/c?d/x", "/proc/self/task/1/cw[d]/x", "/dev/fd/../cwd/x", "/workspace/root/proc/self/cwd/x",
        "/workspace/root/proc/net/../cwd/x", "/workspace/../dev/fd/../cwd/x", "/proc/thread-self/cwd",
    ],
)  # fmt: skip
def test_a_path_leads_through_a_process(path: str) -> None:
    assert leads_through_process(path)


@pytest.mark.parametrize(
    "path",
    [
        "/proc/net/tcp", "/proc/net/*", "/proc/sys/net/*", "/proc/cpu*", "/proc/*/cmdline", "/proc/self/status",
        "/proc/net/../uptime", "/dev/fd/", "/dev/fd/63", "/proc/self/fd/1", "/workspace/src/proc/a/*.py",
        "/workspace/src/dev/fdx/a", "/workspace/proc/a/cwd/b",
    ],
)  # fmt: skip
def test_other_paths_do_not(path: str) -> None:
    assert not leads_through_process(path)


@pytest.mark.parametrize(
    "command", ["cat /proc/net/../cwd/x", "cat < root/proc/self/cwd/x", "cd /proc/net; cat ../cwd/x"]
)
def test_such_a_path_may_be_any_file(command: str) -> None:
    found = analyzed(command)
    assert not found.complete
    assert any(use.path == "/workspace" and use.recursive for use in found.paths)
