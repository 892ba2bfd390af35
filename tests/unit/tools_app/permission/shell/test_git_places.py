"""git writes in another working tree, and files of marks in `.git`."""

import pytest

from tests.unit.tools_app.permission.shell.support import touched


@pytest.mark.parametrize(
    "command",
    [
        "git --work-tree=a checkout HEAD -- b",
        "git --work-tree a reset --hard",
        "git -c core.worktree=a checkout -f",
        "git -c core.worktree=../a checkout -f",
        "GIT_WORK_TREE=a git restore b",
        "export GIT_WORK_TREE='a'; git restore b",
        "env GIT_WORK_TREE=a git restore b",
    ],
)
def test_another_working_tree_is_written(command: str) -> None:
    assert {"/workspace/a", "/workspace/.git/../a"} & touched(command, "write")


@pytest.mark.parametrize(
    "command",
    [
        "git --work-tree=a status",
        "git --work-tree=. checkout HEAD -- b",
        "git --work-tree=/workspace checkout HEAD -- b",
        "GIT_WORK_TREE=.. git checkout HEAD -- b",
    ],
)
def test_the_usual_working_tree_is_no_folder_of_its_own(command: str) -> None:
    assert not {"/workspace", "/workspace/a", "/workspace/."} & touched(command, "write")


@pytest.mark.parametrize(
    "options",
    [
        "--relative-marks --export-marks=../../config",
        "--relative-marks --export-marks ../../config",
        "--relative-marks --export-pack-edges=../../config",
    ],
)
def test_marks_begin_in_a_folder_of_git(options: str) -> None:
    assert "/workspace/.git/info/fast-import/../../config" in touched(f"git fast-import {options}", "write")


def test_the_input_may_name_files() -> None:
    assert "/workspace/.git/config" in touched("git fast-import --allow-unsafe-features", "write")
