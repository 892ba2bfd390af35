"""A container that has been CPU-bound for a while is moved to the idle class, and back when it stops computing."""

import shutil
import time
from pathlib import Path

import pytest

from sandbox.docker import cpu_priority
from sandbox.docker.cpu_priority import (
    MAX_SAMPLED_PROCESSES,
    POLL_INTERVAL,
    CpuGroup,
    CpuPriorityMonitor,
    WatchedContainer,
)

MEMBERSHIPS = {"v1": "4:memory:/eng/box\n3:cpuacct:/eng/box\n2:cpu:/eng/box\n0::/\n", "v2": "0::/eng/box\n"}


class Machine:
    """A simulated machine: control groups as files, and a clock."""

    def __init__(self, root: Path, version: str) -> None:
        self._first = version == "v1"
        self.box, accounts = (root / "cpu/eng/box", root / "cpuacct/eng/box") if self._first else [root / "eng/box"] * 2
        self._account = accounts / ("cpuacct.usage" if self._first else "cpu.stat")
        for folder in (self.box, accounts):
            folder.mkdir(parents=True, exist_ok=True)
        if not self._first:
            (root / "cgroup.controllers").write_text("cpu\n")
        self.now = 100.0
        self._used = 0.0
        self.wants_to_run = False
        self.use(0.0)
        self.group = CpuGroup(MEMBERSHIPS[version], root)

    def use(self, seconds: float) -> None:
        self._used += seconds
        nanoseconds = round(self._used * 1e9)
        self._account.write_text(
            str(nanoseconds) if self._first else f"usage_usec {nanoseconds // 1000}\nuser_usec 1\n"
        )

    @property
    def must_wait(self) -> bool:
        return (self.box / "cpu.idle").read_text() == "1"


@pytest.fixture(params=["v1", "v2"])
def machine(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(tmp_path, request.param)
    (made.box / "cgroup.procs").write_text("17\n18\n")
    monkeypatch.setattr(time, "monotonic", lambda: made.now)
    monkeypatch.setattr(cpu_priority, "_is_running", lambda pid: made.wants_to_run and pid == "18")
    return made


@pytest.fixture
def watched(machine: Machine) -> WatchedContainer:
    return WatchedContainer(machine.group)


def look(machine: Machine, watched: WatchedContainer, share: float) -> bool:
    machine.now += POLL_INTERVAL
    machine.use(share * POLL_INTERVAL)
    watched.poll()
    return machine.must_wait


def test_who_computes_all_the_time_gives_way(machine: Machine, watched: WatchedContainer) -> None:
    assert look(machine, watched, 1.0)


def test_short_commands_one_after_the_other_do_not(machine: Machine, watched: WatchedContainer) -> None:
    assert not look(machine, watched, 0.7)


def test_who_always_has_something_to_run_gives_way_however_little_it_gets(
    machine: Machine, watched: WatchedContainer
) -> None:
    machine.wants_to_run = True

    assert [look(machine, watched, 0.4) for _ in range(5)] == [False, False, False, True, True]


def test_who_has_something_to_run_now_and_then_does_not(machine: Machine, watched: WatchedContainer) -> None:
    seen = []
    for wants in (True, True, True, False, True):
        machine.wants_to_run = wants
        seen.append(look(machine, watched, 0.4))

    assert not any(seen)


def test_who_gets_nothing_there_takes_turns_with_those_who_leave_it_nothing(
    machine: Machine, watched: WatchedContainer
) -> None:
    look(machine, watched, 2.0)
    machine.wants_to_run = True

    assert [look(machine, watched, share) for share in (0.0, 0.95, 0.0, 0.95)] == [False, True, False, True]


def test_who_gets_some_there_stays(machine: Machine, watched: WatchedContainer) -> None:
    look(machine, watched, 2.0)
    machine.wants_to_run = True

    assert look(machine, watched, 0.3)


def test_who_has_nothing_left_to_run_is_back(machine: Machine, watched: WatchedContainer) -> None:
    look(machine, watched, 2.0)

    assert not look(machine, watched, 0.01)


def test_what_another_service_left_is_put_right(machine: Machine, watched: WatchedContainer) -> None:
    (machine.box / "cpu.idle").write_text("1")

    assert not look(machine, watched, 0.0)


def test_a_group_that_is_gone_is_not_looked_at_again(watched: WatchedContainer, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path)

    assert not cpu_priority.poll_container(watched)


def test_a_container_that_the_site_works_in_does_not_give_way(
    machine: Machine, watched: WatchedContainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monitor = CpuPriorityMonitor()
    monkeypatch.setattr(monitor, "_watched", {"box": watched})
    watched.workspace_id = "wsp_1"

    def computes() -> bool:
        machine.now += POLL_INTERVAL
        machine.use(POLL_INTERVAL)
        monitor.poll_all()
        return machine.must_wait

    before = computes()
    with monitor.paused("wsp_1"):
        at_once = machine.must_wait
        during = computes()
    assert (before, at_once, during, computes()) == (True, False, False, True)


def test_of_a_crowd_only_some_are_asked_whether_they_run(
    machine: Machine, watched: WatchedContainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(cpu_priority, "_is_running", asked.append)
    (machine.box / "cgroup.procs").write_text("\n".join(map(str, range(1_000, 1_512))))

    look(machine, watched, 0.4)

    assert MAX_SAMPLED_PROCESSES / 2 <= len(set(asked)) == len(asked) <= MAX_SAMPLED_PROCESSES
    assert (asked[0], int(asked[-1]) > 1_500) == ("1000", True)
