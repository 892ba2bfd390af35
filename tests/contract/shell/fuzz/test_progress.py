"""A search for differences that was stopped continues with the next command."""

from pathlib import Path

import pytest

from tests.contract.shell.fuzz.hunt import Failure, Hunt
from tests.contract.shell.fuzz.progress import Progress


def test_progress_is_kept_over_runs(tmp_path: Path) -> None:
    file = tmp_path / "progress.json"
    first = Progress.of(file, 7, range(10, 30))
    first.add(Hunt(texts=8, ran=3, cut=1, failures=[Failure(11, "a", ("b",))]))
    second = Progress.of(file, 7, range(40))
    assert (second.left, second.texts, second.ran, second.cut) == (range(18, 40), 8, 3, 1)
    second.add(Hunt(texts=22))
    third = Progress.of(file, 7, range(40))
    assert (list(third.left), third.texts, third.failures) == ([], 30, ["11: 'a'\n    b"])


def test_progress_of_another_seed_is_refused(tmp_path: Path) -> None:
    Progress.of(tmp_path / "a", 1, range(2)).add(Hunt(texts=1))
    with pytest.raises(ValueError, match="another seed"):
        Progress.of(tmp_path / "a", 2, range(2))
