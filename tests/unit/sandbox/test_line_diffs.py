"""Differences of texts, made by the runner: git can apply them, and the number of steps is bounded."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.runner.line_diffs import Change, find_changes, lines_of, unified, without_spaces

LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b" a\n", b"\r\n", b"x\ry\n"]), max_size=30)


def applied(old: list[bytes], changes: list[Change], new: list[bytes]) -> list[bytes]:
    result, at = [], 0
    for change in changes:
        result += old[at : change.old_start] + new[change.new_start : change.new_end]
        at = change.old_end
    return result + old[at:]


@given(LINES, LINES)
def test_the_changes_lead_from_one_text_to_the_other(old: list[bytes], new: list[bytes]) -> None:
    changes = find_changes(old, new)
    assert changes is not None
    assert applied(old, changes, new) == new
    assert all(len({change.old_start, change.old_end, change.new_start, change.new_end}) > 1 for change in changes)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1\n2\n3\n", "1\ntwo\n3\n"),
        ("".join(f"{n}\n" for n in range(40)), "".join(f"{n}\n" for n in range(40) if n not in (5, 20))),
        ("no end", "no end\n"),
        ("a\nb", "a\nb\nc"),
        ("x\n" * 9, "x\n" * 12),
    ],
)
def test_git_applies_what_is_written(tmp_path: Path, old: str, new: str) -> None:
    before, after = lines_of(old.encode()), lines_of(new.encode())
    patch = unified(before, after, find_changes(before, after) or [], ["a/f", "b/f"])
    (tmp_path / "f").write_text(old)
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=patch, check=True)
    assert (tmp_path / "f").read_text() == new


def test_texts_that_differ_everywhere_are_given_up() -> None:
    assert find_changes([b"%d\n" % n for n in range(300)], [b"%d\n" % -n for n in range(1, 300)]) is None


def test_a_whole_new_text_is_one_change_however_long() -> None:
    assert find_changes([], [b"x\n"] * 5000) == [Change(0, 0, 0, 5000)]


def test_white_space_can_be_left_out_of_the_comparison() -> None:
    assert find_changes([b"a b\n"], [b"\tab \n"], without_spaces) == []
