import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unidiff import PatchSet

from tools_app.diffing import MAX_COMPARED_LINES, unified_diff

TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "++ d\n", "-- e\n"]), max_size=20).map("".join)


def applied(before: str, diff: str) -> str:
    """Apply a unified diff to a text. Fails if a context line or a removed line does not match."""
    source = before.splitlines(keepends=True)
    result: list[str] = []
    position = 0
    for hunk in PatchSet(io.StringIO(diff))[0]:
        start = max(0, hunk.source_start - (1 if hunk.source_length else 0))
        result += source[position:start]
        position = start
        for line in hunk:
            if line.is_context or line.is_removed:
                assert source[position].rstrip("\n") == line.value.rstrip("\n")
                position += 1
            if line.is_context or line.is_added:
                result.append(line.value)
    return "".join(result + source[position:])


@given(TEXTS, TEXTS)
def test_the_diff_turns_one_text_into_the_other(before: str, after: str) -> None:
    found = unified_diff(before, after, path="file")
    if before == after:
        assert found.diff == ""
        return
    assert applied(before, found.diff) == after


@given(TEXTS, TEXTS)
def test_the_counts_are_those_of_the_diff(before: str, after: str) -> None:
    found = unified_diff(before, after, path="file")
    body = found.diff.split("\n")[2:]
    assert found.additions == sum(line.startswith("+") for line in body)
    assert found.deletions == sum(line.startswith("-") for line in body)


def test_a_new_file_comes_from_nowhere() -> None:
    assert unified_diff(None, "a\n", path="x").diff == "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n"


def test_a_missing_last_line_break_is_marked() -> None:
    expected = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n"
    assert unified_diff("a\n", "a", path="x").diff == expected


def test_far_changes_stand_in_hunks_of_their_own() -> None:
    before = "".join(f"{number}\n" for number in range(50))
    after = before.replace("\n5\n", "\nfive\n").replace("\n40\n", "\nforty\n")
    assert unified_diff(before, after, path="x").diff.count("@@ -") == 2


def test_a_rewrite_of_a_huge_file_is_not_compared_line_by_line() -> None:
    before = "".join(f"old {number}\n" for number in range(MAX_COMPARED_LINES))
    after = before.replace("old", "new")
    found = unified_diff(before, after, path="x")
    assert (found.additions, found.deletions) == (MAX_COMPARED_LINES, MAX_COMPARED_LINES)


@pytest.mark.parametrize("end", ["evil\n", "evil " * 40_000])
def test_a_diff_that_is_cut_says_so_in_its_last_line(end: str) -> None:
    found = unified_diff(None, "harmless\n" * 14_000 + end, path="x")
    *_, last = found.diff.splitlines()
    assert re.fullmatch(r"\\ [\d,]+ bytes of this diff are not shown\.", last)
    assert found.additions == 14_001


def test_a_whole_diff_says_nothing_of_the_kind() -> None:
    assert "not shown" not in unified_diff(None, "harmless\n" * 1000, path="x").diff
