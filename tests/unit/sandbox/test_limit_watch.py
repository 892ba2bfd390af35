import threading
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest

from sandbox.runner.limit_watch import MIN_PIDS_PER_TICK, NO_SPACE, TICKS_PER_CYCLE, LimitWatch, PidSampler
from sandbox.runner.limits import MIB, Allowance, LimitHit
from sandbox.runner.privileges import SingleUser

LIMITS = Allowance(disk_mib=96, inodes=2000, tmp_mib=8, disk="ext4")


@dataclass
class Disk:
    """Simulated meters of a disk with `left` free bytes and a /tmp with `tmp_left` free bytes."""

    left: int
    tmp_left: int = MIB
    disk_reports_use: bool = True
    groups: Any = field(default_factory=lambda: SimpleNamespace(kills=lambda: 0, refused_processes=lambda: 0))

    def disk(self) -> tuple[tuple[int, int], tuple[int, int]]:
        return (96 * MIB - self.left, 96 * MIB), (10, 2000)

    def tmp(self) -> tuple[int, int]:
        return 8 * MIB - self.tmp_left, 8 * MIB


def hits(disk: Disk, evidence: frozenset[str]) -> list[str]:
    """Return the kinds of limits that are reported at the end of a call."""
    job = SimpleNamespace(reason="exited", exit_code=1, mark=0, condition=threading.Condition())
    found: list[LimitHit] = []
    call = SimpleNamespace(call_id="call_1", job=job, hits=found, evidence=evidence, flood_limit=MIB)
    watch = LimitWatch(cast("Any", disk), SingleUser(), LIMITS)
    watch.begin(cast("Any", call))
    watch.end(cast("Any", call))
    return [hit.kind for hit in found]


@pytest.mark.parametrize(
    ("left", "tmp_left", "evidence", "told"),
    [
        (580 << 10, MIB, True, ["disk"]),  # too little for the whole of what a program writes at once
        (580 << 10, MIB, False, []),
        (580 << 10, 0, True, ["tmp"]),  # it was /tmp that had no space
        (50 * MIB, MIB, True, []),  # some other file system, or only words
    ],
)
def test_a_command_that_found_no_space_on_a_disk_that_is_nearly_full_is_told_so(
    left: int, tmp_left: int, evidence: bool, told: list[str]
) -> None:
    assert hits(Disk(left, tmp_left), frozenset({NO_SPACE} if evidence else ())) == told


@pytest.mark.parametrize("crowd", [1, MIN_PIDS_PER_TICK, 512, 5_000])
def test_of_a_crowd_everybody_is_asked_in_a_few_turns_and_few_in_each(crowd: int) -> None:
    turns = PidSampler()
    pids = list(range(7, 7 + crowd))
    asked = [turns.next(pids) for _ in range(TICKS_PER_CYCLE + 1)]
    assert {pid for some in asked for pid in some} == set(pids)
    assert max(map(len, asked)) <= max(MIN_PIDS_PER_TICK, crowd // TICKS_PER_CYCLE)


def test_turns_go_on_when_those_asked_last_have_ended() -> None:
    turns = PidSampler()
    first = turns.next(list(range(1, 513)))
    left = [pid for pid in range(1, 513) if pid not in first]
    assert turns.next(left)[0] == left[0]
    assert turns.next([3]) == [3]
    assert turns.next([]) == []
