"""The links of a process to its working directory and its root lead back to the workspace."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell import paths
from tools_app.permission.shell.named import named_files

ROOT = "/workspace"


@pytest.mark.parametrize(
    "path",
    [
        "/proc/self/cwd/a/b",
        "/proc/thread-self/cwd/a/b",
        "/proc/1/task/1/cwd/a/b",
        "/proc//self/./cwd/a/b",
        "/proc/self/root/workspace/a/b",
        "/proc/self/root/proc/self/cwd/a/b",
        "/dev/fd/../cwd/a/b",
        "/proc/net/../cwd/a/b",
        "/workspace/root/proc/self/cwd/a/b",
        "/workspace/a/b",
    ],
)
def test_links_of_a_process_are_followed(path: str) -> None:
    assert paths.behind_process(path, ROOT) == "/workspace/a/b"


@pytest.mark.parametrize("path", ["/proc/self/status", "/proc/self/cwdx/a", "/workspace/cwd/a", "/root/a", "/proc/cwd"])
def test_other_paths_stay_as_they_are(path: str) -> None:
    assert paths.behind_process(path, ROOT) == path


@pytest.mark.parametrize(
    "code",
    [
        'open("/proc/self/cwd/config/a.env")',
        'open("/proc/self/cwd/conf" + "ig/a.env")',
        'chdir("/proc/self/cwd/config"); open("a.env")',
        'open(f"/proc/{getpid()}/cwd/config/a.env")',
        'open("/proc/%d/cwd/config/a.env" % getpid())',
    ],
)
def test_code_names_files_by_such_links(code: str) -> None:
    assert "/workspace/config/a.env" in set(named_files([code], [ROOT], "/home/agent"))


def test_a_glob_may_match_such_a_link() -> None:
    assert not analyzed("cat /proc/self/cw?/a").complete
    assert analyzed("cat /proc/*/status").complete
