"""The contract suite runs against every deployment; `runtime` and `deployment` are one of them at a time.

Also on every other OCI runtime that is installed, with the marker `runtimes`: those that fail their self-check are
skipped, and the reason says what failed.
"""

import uuid
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from sandbox.limits import Limits
from sandbox.local import LocalDeployment
from sandbox.ports import Deployment, RunRequest, Runtime, SandboxSpec
from tests.support.engine import TestEngine, docker_engine
from tests.support.runtimes import INSTALLED, let_others_pass, why_unusable

__all__ = ["docker_engine", "why_unusable"]

KINDS: Final = [
    "local",
    pytest.param("docker", marks=pytest.mark.docker),
    pytest.param("docker-stream", marks=pytest.mark.docker),
    *(pytest.param(f"docker:{name}", marks=[pytest.mark.docker, pytest.mark.runtimes]) for name in INSTALLED),
]
"""Where a sandbox lives; `docker:NAME` is one on that runtime."""


@dataclass
class Sandbox:
    """A running sandbox and what tests ask of it."""

    deployment: Deployment
    spec: SandboxSpec
    runtime: Runtime
    files: Path
    kind: str

    @property
    def is_contained(self) -> bool:
        return self.kind != "local"

    async def shell(self, command: str, *, timeout: float = 30.0, call_id: str | None = None) -> str:
        result = await self.runtime.run(new_call(command, timeout=timeout, call_id=call_id))
        return result.output.decode("utf-8", "replace")


def files_of(folder: Path) -> Path:
    """Where /workspace lies: on a disk of its own, or beside the rest."""
    disk = folder / "disk"
    return (disk if disk.exists() else folder) / "files"


def new_call(command: str, *, timeout: float = 30.0, call_id: str | None = None) -> RunRequest:
    return RunRequest(call_id or f"call_{uuid.uuid4().hex}", command, timeout=timeout)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if runtime := runtime_of(str(request.param)):
        if reason := request.getfixturevalue("why_unusable")(runtime):
            pytest.skip(reason)
        let_others_pass(tmp_path)
    return str(request.param)


def runtime_of(kind: str) -> str:
    """Empty for the one that is always there."""
    return kind.partition(":")[2]


@pytest.fixture
def make_deployment(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Callable[[], Deployment]:
    """Another one over the same directories is what a restarted service has."""
    if kind == "local":
        return lambda: LocalDeployment(tmp_path, for_tests=True)
    from sandbox.docker import CarrierKind, DockerDeployment

    engine: TestEngine = request.getfixturevalue("docker_engine")
    carrier: CarrierKind = "stream" if kind == "docker-stream" else "socket"
    return lambda: DockerDeployment(tmp_path, site=engine.site, docker_host=engine.host, carrier=carrier)


@pytest.fixture
def spec(kind: str, request: pytest.FixtureRequest) -> SandboxSpec:
    image = "none" if kind == "local" else request.getfixturevalue("docker_engine").image
    limits = Limits(memory_mib=512, pids=256, tmp_mib=64)
    workspace_id, runtime = f"wsp_{uuid.uuid4().hex[:12]}", runtime_of(kind) or "runc"
    return SandboxSpec(workspace_id, image, runtime=runtime, limits=limits, labels={"team": "tea_1"})


@pytest.fixture
async def sandbox(
    kind: str, spec: SandboxSpec, make_deployment: Callable[[], Deployment], tmp_path: Path
) -> AsyncIterator[Sandbox]:
    deployment = make_deployment()
    runtime = await deployment.ensure(spec)
    yield Sandbox(deployment, spec, runtime, files_of(tmp_path / spec.workspace_id), kind)
    await deployment.remove(spec.workspace_id, files=True)
    await deployment.close()
