"""Metrics are complete in memory even if the disk fails, and in their file as soon as it can be written."""

import errno
import os
from pathlib import Path

import pytest
from prometheus_client.mmap_dict import MmapedDict

from agentsite.base.metric_files import WrittenDict


def stored(file: Path) -> dict[str, float]:
    """Return the values that the metrics library reads from a file."""
    values = MmapedDict.read_all_values_from_file(str(file))  # type: ignore[no-untyped-call]
    return {key: value for key, value, _, _ in values}


def fill(metrics: WrittenDict, count: int) -> dict[str, float]:
    expected = {f"key-{number}" * 20: float(number) for number in range(count)}
    for key, value in expected.items():
        metrics.read_value(key)  # type: ignore[no-untyped-call]
        metrics.write_value(key, value, 0.0)
    return expected


@pytest.mark.parametrize("count", [0, 1, 2_000])
def test_what_is_written_is_what_the_library_reads(tmp_path: Path, count: int) -> None:
    file = tmp_path / "counter_1.db"
    metrics = WrittenDict(str(file))
    expected = fill(metrics, count)

    assert stored(file) == expected
    metrics.close()
    again = WrittenDict(str(file))
    assert {key: value for key, value, _ in again.read_all_values()} == expected  # type: ignore[no-untyped-call]
    again.close()


def test_a_disk_that_is_full_for_a_while_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "counter_1.db"
    metrics = WrittenDict(str(file))

    def fail(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(os, "pwrite", fail)
        expected = fill(metrics, 500)
        assert stored(file) == {}

    metrics.write_value("after", 1.0, 0.0)

    assert stored(file) == {**expected, "after": 1.0}
    metrics.close()


def test_a_file_that_cannot_be_created_is_created_later(tmp_path: Path) -> None:
    file = tmp_path / "missing" / "counter_1.db"
    metrics = WrittenDict(str(file))
    expected = fill(metrics, 3)
    file.parent.mkdir()

    metrics.write_value("after", 1.0, 0.0)

    assert stored(file) == {**expected, "after": 1.0}
    metrics.close()
