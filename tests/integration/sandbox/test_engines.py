"""Private engines run side by side, stop without leftovers, and explain why an engine cannot be started."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.docker import DockerDeployment
from sandbox.engine import api
from sandbox.engine.private import PrivateEngine
from sandbox.errors import SandboxUnavailable
from sandbox.image.build import current_tag
from sandbox.ports import RunRequest, SandboxSpec, SandboxState
from tests.integration.sandbox.own_engine import SECOND, own_engine
from tests.support.engine import REPOSITORY, TestEngine

pytestmark = pytest.mark.docker


@pytest.fixture
def second_engine() -> Iterator[PrivateEngine]:
    with own_engine(SECOND) as (engine, _):
        yield engine


@pytest.mark.full
async def test_two_engines_work_side_by_side(
    docker_engine: TestEngine, second_engine: PrivateEngine, tmp_path: Path
) -> None:
    deployments = [
        DockerDeployment(tmp_path / str(number), site=docker_engine.site, docker_host=host)
        for number, host in enumerate((docker_engine.host, second_engine.host))
    ]
    for number, deployment in enumerate(deployments):
        runtime = await deployment.ensure(SandboxSpec("wsp_both", docker_engine.image))
        assert (await runtime.run(RunRequest("call", f"echo {number}"))).output == f"{number}\n".encode()
    for deployment in deployments:
        assert [status.state for status in await deployment.list()] == [SandboxState.RUNNING]
        await deployment.remove("wsp_both", files=True)
        await deployment.close()


async def test_a_stopped_engine_leaves_no_process_and_no_mount(second_engine: PrivateEngine, tmp_path: Path) -> None:
    deployment = DockerDeployment(tmp_path, site="leaves", docker_host=second_engine.host)
    runtime = await deployment.ensure(SandboxSpec("wsp_1", current_tag()))
    folder = str(second_engine.folder)

    second_engine.stop()

    with pytest.raises(SandboxUnavailable):
        await runtime.ping()
    assert [command for command in _command_lines() if folder in command] == []
    assert folder not in _mounts()
    await deployment.close()


async def test_a_killed_engine_is_started_again_with_its_workspaces(
    second_engine: PrivateEngine, tmp_path: Path
) -> None:
    deployment = DockerDeployment(tmp_path, site="killed", docker_host=second_engine.host)
    runtime = await deployment.ensure(SandboxSpec("wsp_1", current_tag()))
    await runtime.write("a", b"kept")

    os.kill(int((second_engine.folder / "docker.pid").read_text()), 9)
    second_engine.start()

    assert (await runtime.read("a")).content == b"kept"
    await deployment.remove("wsp_1", files=True)
    await deployment.close()


async def test_without_an_engine_the_error_says_what_to_do(tmp_path: Path) -> None:
    deployment = DockerDeployment(tmp_path, site="none", docker_host=f"unix://{tmp_path}/none.sock")

    with pytest.raises(SandboxUnavailable, match="deploy/bin/engine start"):
        await deployment.ensure(SandboxSpec("wsp_1", "image"))


async def test_an_image_that_is_missing_is_named(docker_engine: TestEngine, tmp_path: Path) -> None:
    deployment = DockerDeployment(tmp_path, site="none", docker_host=docker_engine.host)

    with pytest.raises(SandboxUnavailable, match=r"no-such-image.*python -m sandbox\.image"):
        await deployment.ensure(SandboxSpec("wsp_1", "no-such-image:1"))
    await deployment.close()


async def test_a_runtime_that_is_missing_is_named(docker_engine: TestEngine, tmp_path: Path) -> None:
    deployment = DockerDeployment(tmp_path, site="none", docker_host=docker_engine.host)

    with pytest.raises(SandboxUnavailable, match="no runtime 'kata'"):
        await deployment.ensure(SandboxSpec("wsp_1", docker_engine.image, runtime="kata"))
    await deployment.close()


def test_a_user_without_rights_is_told_what_to_install_or_set(tmp_path: Path) -> None:
    program = "from sandbox.engine.__main__ import main; import os, sys; os.setuid(65534); main()"
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "DOCKER_HOST": f"unix://{tmp_path}/none"}
    command = ["python3", "-c", program, "start", "--private", "--state", "/tmp/nobody-engine"]

    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    assert "only root can start one" in result.stderr
    assert not api.answers("unix:///tmp/nobody-engine/docker/docker.sock")


def _command_lines() -> Iterator[str]:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            yield path.read_bytes().decode("utf-8", "replace")


def _mounts() -> str:
    return Path("/proc/self/mountinfo").read_text()
