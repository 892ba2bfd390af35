"""A workspace starts even while another service cleans up or its disk is being unmounted."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from sandbox.docker import DockerDeployment
from sandbox.docker.disks import DiskLocation, HostDisks
from sandbox.docker.workspace_locks import WorkspaceLocks
from sandbox.limits import Limits
from sandbox.mounts import mounts_below
from sandbox.ports import SandboxSpec
from tests.support.deadline import wait_until
from tests.support.engine import TestEngine

pytestmark = [pytest.mark.docker, pytest.mark.skipif(os.getuid() != 0, reason="only root can mount")]

LIMITS: Final = Limits(memory_mib=256, pids=64, tmp_mib=16, disk_mib=48, inodes=2000)
WORKSPACE: Final = "wsp_young"


@pytest.fixture
async def make(docker_engine: TestEngine, tmp_path: Path) -> AsyncIterator[Callable[[], DockerDeployment]]:
    """Return a function that creates deployments over one directory, like a worker and its predecessor."""
    made: list[DockerDeployment] = []

    def another() -> DockerDeployment:
        made.append(DockerDeployment(tmp_path, site=docker_engine.site, docker_host=docker_engine.host))
        return made[-1]

    yield another
    await made[0].remove(WORKSPACE, files=True)
    for deployment in made:
        await deployment.close()


@pytest.fixture
def spec(docker_engine: TestEngine) -> SandboxSpec:
    return SandboxSpec(WORKSPACE, docker_engine.image, limits=LIMITS)


@contextmanager
def after_prepare(act: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Call `act` once, between the preparation of the disk and the creation of the container."""
    real = HostDisks.prepare
    done: list[Any] = []

    def prepare(self: HostDisks, spec: SandboxSpec) -> DiskLocation:
        location = real(self, spec)
        if not done:
            done.append(spec)
            act()
        return location

    with monkeypatch.context() as patched:
        patched.setattr(HostDisks, "prepare", prepare)
        yield
    assert done


async def test_another_service_that_cleans_up_does_not_unmount_the_disk_of_a_container_about_to_be_created(
    make: Callable[[], DockerDeployment], spec: SandboxSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker, operator = make(), make()
    kept: list[bool] = []

    def clean_up() -> None:
        asyncio.run(operator.reap([WORKSPACE]))
        kept.append(bool(mounts_below(tmp_path / WORKSPACE)))

    with after_prepare(clean_up, monkeypatch):
        runtime = await worker.ensure(spec)

    assert kept == [True]
    assert (await runtime.write("a", b"works")).size == 5


async def test_a_disk_that_is_unmounted_before_the_container_is_created_is_mounted_again(
    make: Callable[[], DockerDeployment], spec: SandboxSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = make()
    disks = worker._disks

    with after_prepare(lambda: disks.release(WORKSPACE), monkeypatch):
        runtime = await worker.ensure(spec)

    assert len(mounts_below(tmp_path / WORKSPACE)) == 2
    assert (await runtime.write("a", b"works")).size == 5


def test_a_lock_excludes_other_threads_and_other_processes_until_its_holder_is_killed(tmp_path: Path) -> None:
    locks = WorkspaceLocks(tmp_path)
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        with locks.held(WORKSPACE):
            os.write(writing, b"+")
            threading.Event().wait(60)
        os._exit(1)
    os.read(reading, 1)
    with locks.held_if_free(WORKSPACE) as held, locks.held_if_free("wsp_other") as other:
        assert (held, other) == (False, True)

    os.kill(child, 9)
    os.waitpid(child, 0)

    with locks.held(WORKSPACE), WorkspaceLocks(tmp_path).held_if_free(WORKSPACE) as held:
        assert not held
    wait_until(lambda: _is_free(locks), "the lock is free again")
    for pipe in (reading, writing):
        os.close(pipe)


def _is_free(locks: WorkspaceLocks) -> bool:
    with locks.held_if_free(WORKSPACE) as held:
        return held


async def test_two_who_need_a_workspace_at_once_get_one_runtime(
    make: Callable[[], DockerDeployment], spec: SandboxSpec
) -> None:
    """Two callers that need a workspace at once get the same runtime. Programs that run in the workspace belong to its
    runtime: two runtimes would replace each other's programs."""
    worker = make()
    first, second = await asyncio.gather(worker.ensure(spec), worker.ensure(spec))
    assert first is second
