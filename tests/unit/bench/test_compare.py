"""Comparison of measurements between two commits: names that are refused because they are not commits, and the printed
medians."""

import pytest

from tests.bench.compare import UnknownCommit, find_commit, medians, print_comparison
from tests.bench.figures import Calibration, Figure, MeasuredRow


def row(value: float, name: str = "gap") -> MeasuredRow:
    return MeasuredRow("steps", Calibration(1000.0, 1000.0), (Figure(name, value, "ms", "wall"),))


def test_name_that_is_no_commit_is_refused() -> None:
    with pytest.raises(UnknownCommit, match="no commit no-such-commit in this repository"):
        find_commit("no-such-commit")


def test_name_of_uncommitted_changes_is_refused() -> None:
    with pytest.raises(UnknownCommit, match="Commit them"):
        find_commit("v1-2-gabcdef0-dirty")


def test_missing_name_is_refused_with_the_command() -> None:
    with pytest.raises(UnknownCommit, match="REF=<commit>"):
        find_commit("")


def test_each_figure_is_the_median_of_its_rounds() -> None:
    assert medians([[row(10.0)], [row(90.0)], [row(30.0)]]) == {("steps", "gap"): (30.0, "ms")}


def test_comparison_prints_the_quotient_of_both(capsys: pytest.CaptureFixture[str]) -> None:
    print_comparison("abc123456", [[row(10.0)], [row(30.0)]], [[row(80.0)]])
    assert capsys.readouterr().out.splitlines()[1].split() == ["steps:", "gap", "20.00", "80.00", "0.25", "ms"]


def test_figure_that_the_other_commit_lacks_has_no_quotient(capsys: pytest.CaptureFixture[str]) -> None:
    print_comparison("abc123456", [[row(10.0)]], [[row(80.0, name="other")]])
    assert "-" in capsys.readouterr().out.splitlines()[1]
