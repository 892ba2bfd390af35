"""Ratios of measured numbers to the calibration, and the conversion of measured numbers to JSON and back."""

import json

from tests.bench.figures import Calibration, Figure, MeasuredRow

SLOW = Calibration(wall=2000.0, cpu=1000.0)


def test_time_is_a_share_of_the_calibration_on_its_own_clock() -> None:
    assert Figure("gap", 50.0, "ms", "wall").ratio(SLOW) == 0.025
    assert Figure("CPU of a step", 50.0, "ms", "cpu").ratio(SLOW) == 0.05


def test_rate_counts_the_calls_in_the_time_of_the_calibration() -> None:
    assert Figure("rate", 30.0, "calls/s", "wall").ratio(SLOW) == 60.0


def test_memory_does_not_depend_on_the_calibration() -> None:
    assert Figure("memory", 100.0, "MiB").ratio(SLOW) is None


def test_target_is_a_limit_or_with_at_least_a_minimum() -> None:
    assert not Figure("gap", 51.0, "ms", target=50).reached
    assert Figure("rate", 51.0, "calls/s", target=50, at_least=True).reached
    assert Figure("gap", 51.0, "ms").reached


def test_row_is_the_same_after_json() -> None:
    row = MeasuredRow("steps", SLOW, (Figure("gap", 51.0, "ms", "wall", target=50),))
    assert MeasuredRow.from_dict(json.loads(json.dumps(row.as_dict()))) == row
