"""OCI runtimes other than runc: an insecure one is refused by the self-check, and leaves nothing behind."""

import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from sandbox.docker import DockerDeployment, container
from sandbox.engine import api
from sandbox.engine.private import PrivateEngine
from sandbox.errors import CheckFailed, SandboxUnavailable
from sandbox.ports import SandboxSpec, SandboxState
from tests.support.deadline import wait_until
from tests.support.engine import TestEngine
from tests.support.runtimes import let_others_pass

pytestmark = [pytest.mark.docker, pytest.mark.runtimes]

DEBIAN = "0.0~20221219"


@pytest.fixture(scope="module")
def debian_runsc(docker_engine: TestEngine) -> PrivateEngine:
    """Return the private engine if Debian 12's version of runsc is installed; otherwise skip the test."""
    engine = PrivateEngine.at_address(docker_engine.host)
    if engine is None:
        pytest.skip("the engine is not ours, so it cannot be told what to offer")
    if shutil.which("runsc") is None or DEBIAN not in subprocess.check_output(["runsc", "--version"], text=True):
        pytest.skip("runsc is not the one of Debian 12")
    return engine


@pytest.fixture
def open_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="runtimes-"))
    let_others_pass(folder)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
async def deployment(docker_engine: TestEngine, open_folder: Path) -> AsyncIterator[DockerDeployment]:
    deployment = DockerDeployment(open_folder, site=docker_engine.site, docker_host=docker_engine.host)
    yield deployment
    await deployment.remove("wsp_gvisor", files=True)
    await deployment.close()


def spec_of(engine: TestEngine) -> SandboxSpec:
    return SandboxSpec("wsp_gvisor", engine.image, runtime="runsc")


async def test_debians_runsc_is_refused_by_the_self_check(
    debian_runsc: PrivateEngine, docker_engine: TestEngine, deployment: DockerDeployment
) -> None:
    with pytest.raises(CheckFailed, match=r"'runsc'.*Choose another runtime by policy") as refused:
        await deployment.ensure(spec_of(docker_engine))

    report = refused.value.report
    assert (refused.value.code, report.passed, report.kernel) == ("sandbox_check_failed", False, "4.4.0 (gVisor)")
    assert {"ls", "stat", "openat2", "pidfd_open"} <= {item.name for item in report.failures}
    assert {"cat", "AF_VSOCK", "network", "root file system"} <= {item.name for item in report.items if item.passed}
    assert (await deployment.poll("wsp_gvisor")).state == SandboxState.ABSENT
    assert await deployment.report("wsp_gvisor") is None
    wait_until(lambda: nothing_is_left(debian_runsc), "the runtime's processes are gone", seconds=10)


async def test_a_place_that_a_runtime_cannot_reach_is_named(
    debian_runsc: PrivateEngine, docker_engine: TestEngine, open_folder: Path
) -> None:
    closed = open_folder / "closed"
    closed.mkdir(mode=0o700)
    deployment = DockerDeployment(closed, site=docker_engine.site, docker_host=docker_engine.host)

    with pytest.raises(SandboxUnavailable, match=f"may not enter {closed}.*chmod o[+]x"):
        await deployment.ensure(spec_of(docker_engine))

    assert (await deployment.poll("wsp_gvisor")).state == SandboxState.ABSENT
    await deployment.remove("wsp_gvisor", files=True)
    await deployment.close()


async def test_a_start_that_fails_leaves_no_process(
    debian_runsc: PrivateEngine,
    docker_engine: TestEngine,
    deployment: DockerDeployment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(container, "HARDENING", {**container.HARDENING, "working_dir": "/proc/1/nowhere"})

    with pytest.raises(SandboxUnavailable, match="nowhere"):
        await deployment.ensure(spec_of(docker_engine))

    assert (await deployment.poll("wsp_gvisor")).state == SandboxState.ABSENT
    wait_until(lambda: nothing_is_left(debian_runsc), "the runtime's processes are gone", seconds=10)


def nothing_is_left(engine: PrivateEngine) -> bool:
    """Return whether all remaining processes of containers, including shims, belong to running containers."""
    return set(engine.resources.processes_by_container()) <= set(api.running_containers(engine.host))
