"""`EngineResources` finds and kills only processes of the container engine, never others with the same name."""

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

from sandbox.engine.processes import HostProcess, read_process, send_signal, with_descendants
from sandbox.engine.resources import EngineResources
from tests.support.deadline import wait_until

SLEEP: Final = "import time; time.sleep(60)"
Start = Callable[..., HostProcess]


@pytest.fixture
def start() -> Iterator[Start]:
    """Return a function that starts a process with the name `program` and the additional arguments `words`."""
    with ExitStack() as stack:

        def start(program: str, *words: str) -> HostProcess:
            child = subprocess.Popen([program, "-c", SLEEP, *words], executable="/usr/bin/python3")
            stack.callback(child.wait)
            stack.callback(child.kill)
            wait_until(lambda: (found := read_process(child.pid)) is not None and found.program == program, program)
            found = read_process(child.pid)
            assert found is not None
            return found

        yield start


@pytest.fixture
def resources(tmp_path: Path) -> EngineResources:
    return EngineResources(tmp_path / "docker", tmp_path / "docker" / "data")


def test_an_engines_program_with_a_path_below_its_directory_is_its_own(
    resources: EngineResources, start: Start
) -> None:
    shim = start("containerd-shim-runc-v2", "-address", f"{resources.exec_root}/containerd/containerd.sock")
    dockerd = start("dockerd", f"--exec-root={resources.exec_root}")

    assert {process.pid for process in resources.processes()} == {shim.pid, dockerd.pid}


def test_what_only_mentions_the_directory_is_not(resources: EngineResources, start: Start) -> None:
    start("tail", f"{resources.exec_root}/containerd/containerd.log")
    start("bash", f"rm -r {resources.exec_root}/")

    assert resources.processes() == []


@pytest.mark.parametrize("other", ["docker-2/exec/x", "docker/exec-2/x", "elsewhere/docker/exec/x"])
def test_the_programs_of_another_engine_are_not(
    other: str, resources: EngineResources, start: Start, tmp_path: Path
) -> None:
    start("containerd", "--config", f"{tmp_path}/{other}")

    assert resources.processes() == []


def test_all_of_it_ends_and_nothing_else(resources: EngineResources, start: Start, tmp_path: Path) -> None:
    other = start("containerd", "--config", f"{tmp_path}/other/exec/containerd.toml")
    start("containerd", "--config", f"{resources.exec_root}/containerd/containerd.toml")

    assert resources.kill_all(timeout=5.0)

    assert resources.processes() == []
    assert read_process(other.pid) == other


def test_ending_the_engine_leaves_what_carries_containers(resources: EngineResources, start: Start) -> None:
    shim = start("containerd-shim-runc-v2", "-address", f"{resources.exec_root}/containerd/containerd.sock")
    start("dockerd", f"--exec-root={resources.exec_root}")

    assert resources.kill_engine(timeout=5.0)

    assert resources.processes() == [shim]


def test_a_container_gains_nothing_by_calling_its_processes_an_engine(
    resources: EngineResources, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process in a container that has the name of an engine is not killed as an engine. Otherwise it would be killed
    again and again until the engine's start times out."""
    inside = start("containerd", f"--exec-root={resources.exec_root}")
    monkeypatch.setattr(EngineResources, "_pids_in_cgroup", lambda _: {inside.pid: "ab" * 32})

    assert resources.kill_engine(timeout=0.2)

    assert read_process(inside.pid) == inside


def test_a_shim_is_told_to_which_container_it_belongs(resources: EngineResources, start: Start) -> None:
    container = "ab" * 32
    shim = start("containerd-shim-runc-v2", "-id", container, "-address", f"{resources.exec_root}/x")

    assert resources.processes_by_container() == {container: [shim]}


def test_a_number_that_is_used_again_is_not_signalled(start: Start) -> None:
    process = start("sleeper")
    predecessor = replace(process, started=process.started - 1)

    assert not send_signal(predecessor, signal.SIGKILL)
    assert read_process(process.pid) == process


def test_a_process_that_became_something_else_is_not_signalled(start: Start) -> None:
    process = start("sleeper")

    assert not send_signal(process, signal.SIGKILL, lambda now: now.program == "dockerd")
    assert read_process(process.pid) == process


def test_a_process_that_is_gone_is_not_signalled(start: Start) -> None:
    process = start("sleeper")
    os.kill(process.pid, signal.SIGKILL)
    wait_until(lambda: read_process(process.pid) is None, "it is gone")

    assert not send_signal(process, signal.SIGKILL)


def test_the_age_of_a_process_is_told_in_seconds() -> None:
    own = read_process(os.getpid())

    assert own is not None
    assert 0 < own.age < time.clock_gettime(time.CLOCK_BOOTTIME)


def test_descendants_are_found_at_any_depth() -> None:
    family = [HostProcess(pid, parent, 0, ("x",)) for pid, parent in ((2, 1), (3, 2), (4, 3), (5, 1))]

    assert set(with_descendants(family[:1], family)) == {2, 3, 4}
