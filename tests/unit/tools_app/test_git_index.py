"""The names read from git's index equal the output of `git ls-files`."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_app.git_index import tracked_names


def run_git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)
    return done.stdout.decode("utf-8", "surrogateescape")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    run_git(tmp_path, "init", "-q")
    for name in (
        "a",
        "a b",
        "internal/plan.txt",
        "ü/x\ny",
        f"long/{'n' * 200}",
        *(f"f{'o' * size}" for size in range(9)),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    run_git(tmp_path, "add", "-A")
    return tmp_path


def read_index(repository: Path) -> bytes:
    return (repository / ".git/index").read_bytes()


def test_the_names_are_those_that_git_lists(repository: Path) -> None:
    assert tracked_names(read_index(repository)) == run_git(repository, "ls-files", "-z").split("\0")[:-1]


def test_files_that_are_only_intended_to_be_added_count(repository: Path) -> None:
    (repository / "new").write_text("x")
    run_git(repository, "add", "-N", "new")
    assert "new" in (tracked_names(read_index(repository)) or [])


@pytest.mark.parametrize("command", [["update-index", "--split-index"], ["update-index", "--index-version", "4"]])
def test_an_index_that_does_not_hold_all_names_plainly_is_refused(repository: Path, command: list[str]) -> None:
    run_git(repository, *command)
    assert tracked_names(read_index(repository)) is None


def test_a_part_of_an_index_is_refused(repository: Path) -> None:
    index = read_index(repository)
    assert [size for size in range(len(index)) if tracked_names(index[:size]) is not None] == []


@given(st.binary(max_size=200))
def test_any_other_content_is_refused(content: bytes) -> None:
    assert tracked_names(content) is None
    assert tracked_names(b"DIRC\0\0\0\2" + content) in (None, [])
