"""What is ended belongs to the engine and is the process that was meant, whatever else runs beside it."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from sandbox.engine.processes import Process, read_process, send, with_descendants
from sandbox.engine.resources import Belongings
from tests.support.deadline import wait_until

SLEEP: Final = "import time; time.sleep(60)"
Start = Callable[..., Process]


@pytest.fixture
def start() -> Iterator[Start]:
    """A process that calls itself `program` and was given these words."""
    with ExitStack() as stack:

        def start(program: str, *words: str) -> Process:
            child = subprocess.Popen([program, "-c", SLEEP, *words], executable="/usr/bin/python3")
            stack.callback(child.wait)
            stack.callback(child.kill)
            wait_until(lambda: (found := read_process(child.pid)) is not None and found.program == program, program)
            found = read_process(child.pid)
            assert found is not None
            return found

        yield start


@pytest.fixture
def belongings(tmp_path: Path) -> Belongings:
    return Belongings(tmp_path / "docker", tmp_path / "docker" / "data")


def test_an_engines_program_with_a_path_below_its_directory_is_its_own(belongings: Belongings, start: Start) -> None:
    shim = start("containerd-shim-runc-v2", "-address", f"{belongings.exec_root}/containerd/containerd.sock")
    dockerd = start("dockerd", f"--exec-root={belongings.exec_root}")

    assert {process.pid for process in belongings.processes()} == {shim.pid, dockerd.pid}


def test_what_only_mentions_the_directory_is_not(belongings: Belongings, start: Start) -> None:
    start("tail", f"{belongings.exec_root}/containerd/containerd.log")
    start("bash", f"rm -r {belongings.exec_root}/")

    assert belongings.processes() == []


@pytest.mark.parametrize("other", ["docker-2/exec/x", "docker/exec-2/x", "elsewhere/docker/exec/x"])
def test_the_programs_of_another_engine_are_not(
    other: str, belongings: Belongings, start: Start, tmp_path: Path
) -> None:
    start("containerd", "--config", f"{tmp_path}/{other}")

    assert belongings.processes() == []


def test_all_of_it_ends_and_nothing_else(belongings: Belongings, start: Start, tmp_path: Path) -> None:
    other = start("containerd", "--config", f"{tmp_path}/other/exec/containerd.toml")
    start("containerd", "--config", f"{belongings.exec_root}/containerd/containerd.toml")

    assert belongings.end_all(patience=5.0)

    assert belongings.processes() == []
    assert read_process(other.pid) == other


def test_ending_the_engine_leaves_what_carries_containers(belongings: Belongings, start: Start) -> None:
    shim = start("containerd-shim-runc-v2", "-address", f"{belongings.exec_root}/containerd/containerd.sock")
    start("dockerd", f"--exec-root={belongings.exec_root}")

    assert belongings.end_engine(patience=5.0)

    assert belongings.processes() == [shim]


def test_a_container_gains_nothing_by_calling_its_processes_an_engine(
    belongings: Belongings, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be ended again and again, for as long as a start of the engine has patience."""
    inside = start("containerd", f"--exec-root={belongings.exec_root}")
    monkeypatch.setattr(Belongings, "_pids_in_cgroup", lambda _: {inside.pid: "ab" * 32})

    assert belongings.end_engine(patience=0.2)

    assert read_process(inside.pid) == inside


def test_a_shim_is_told_to_which_container_it_belongs(belongings: Belongings, start: Start) -> None:
    container = "ab" * 32
    shim = start("containerd-shim-runc-v2", "-id", container, "-address", f"{belongings.exec_root}/x")

    assert belongings.by_container() == {container: [shim]}


def test_a_number_that_is_used_again_is_not_signalled(start: Start) -> None:
    process = start("sleeper")
    predecessor = replace(process, started=process.started - 1)

    assert not send(predecessor, signal.SIGKILL)
    assert read_process(process.pid) == process


def test_a_process_that_became_something_else_is_not_signalled(start: Start) -> None:
    process = start("sleeper")

    assert not send(process, signal.SIGKILL, lambda now: now.program == "dockerd")
    assert read_process(process.pid) == process


def test_a_process_that_is_gone_is_not_signalled(start: Start) -> None:
    process = start("sleeper")
    os.kill(process.pid, signal.SIGKILL)
    wait_until(lambda: read_process(process.pid) is None, "it is gone")

    assert not send(process, signal.SIGKILL)


def test_the_age_of_a_process_is_told_in_seconds() -> None:
    own = read_process(os.getpid())

    assert own is not None
    assert 0 < own.age < time.clock_gettime(time.CLOCK_BOOTTIME)


def test_descendants_are_found_at_any_depth() -> None:
    family = [Process(pid, parent, 0, ("x",)) for pid, parent in ((2, 1), (3, 2), (4, 3), (5, 1))]

    assert set(with_descendants(family[:1], family)) == {2, 3, 4}
