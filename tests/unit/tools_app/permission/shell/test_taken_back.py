"""Options that a later word switches off again."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.taken_back import is_taken_back


@pytest.mark.parametrize(
    "words", [["--x", "--no-x"], ["--no-x"], ["--x=false"], ["--x", "false"], ["-x", "False"], ["--x", "--X=0"]]
)
def test_an_option_is_taken_back(words: list[str]) -> None:
    assert is_taken_back(["--x"], words)


@pytest.mark.parametrize("words", [["--x"], ["--x", "a"], ["--no-y"], ["x", "false"], ["--x=true"], []])
def test_an_option_stays(words: list[str]) -> None:
    assert not is_taken_back(["--x"], words)


def test_tsc_writes_with_the_value_false() -> None:
    assert any(use.mode == "write" for use in analyzed("tsc --noEmit false a.ts").paths)
    assert not any(use.mode == "write" for use in analyzed("tsc --noEmit a.ts").paths)


def test_git_cleans_with_the_opposite_of_a_dry_run() -> None:
    assert any(use.mode == "write" for use in analyzed("git clean -n --no-dry-run -f a").paths)
    assert not any(use.mode == "write" for use in analyzed("git clean -n -f a").paths)


def test_uv_refreshes_its_lock_file() -> None:
    assert "/workspace/uv.lock" in analyzed("uv run --locked --no-locked pytest").words
    assert "/workspace/uv.lock" not in analyzed("uv run --locked pytest").words


def test_lerna_pushes() -> None:
    assert "git push" in analyzed("lerna version --no-push --no-push=false").spellings
