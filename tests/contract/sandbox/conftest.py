"""Run the contract suite against every deployment: the fixture `kind` names one of them at a time.

With the marker `runtimes`, the suite also runs on every other OCI runtime that is installed. A runtime that fails its
self-check is skipped, with the failure as the reason.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from sandbox.ports import Deployment, SandboxSpec
from tests.support.engine import TestEngine, docker_engine
from tests.support.runtimes import INSTALLED, let_others_pass, why_unusable
from tests.support.shared_sandboxes import (
    Sandbox,
    Shelf,
    files_of,
    new_call,
    new_deployment,
    new_id,
    new_spec,
    runtime_of,
)

__all__ = ["Sandbox", "docker_engine", "new_call", "new_id", "why_unusable"]

KINDS: Final = [
    "local",
    pytest.param("docker", marks=pytest.mark.docker),
    pytest.param("docker-stream", marks=pytest.mark.docker),
    *(pytest.param(f"docker:{name}", marks=[pytest.mark.docker, pytest.mark.runtimes(name)]) for name in INSTALLED),
]
"""The kinds of sandboxes; `docker:NAME` is a container on the OCI runtime NAME."""


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if runtime := runtime_of(str(request.param)):
        if reason := request.getfixturevalue("why_unusable")(runtime):
            pytest.skip(reason)
        let_others_pass(tmp_path)
    return str(request.param)


@pytest.fixture
def make_deployment(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Callable[[], Deployment]:
    """Return a function that creates a deployment. A second one uses the same directories, like a restarted service."""
    if kind == "local":
        return lambda: new_deployment(kind, tmp_path, site="", host="")
    engine: TestEngine = request.getfixturevalue("docker_engine")
    return lambda: new_deployment(kind, tmp_path, site=engine.site, host=engine.host)


@pytest.fixture
def spec(kind: str, request: pytest.FixtureRequest) -> SandboxSpec:
    return new_spec(kind, "none" if kind == "local" else request.getfixturevalue("docker_engine").image)


@pytest.fixture
async def fresh_sandbox(
    kind: str, spec: SandboxSpec, make_deployment: Callable[[], Deployment], tmp_path: Path
) -> AsyncIterator[Sandbox]:
    """Provide a sandbox for one test alone, which stops, restarts or limits it, or must not see the calls of other
    tests."""
    deployment = make_deployment()
    runtime = await deployment.ensure(spec)
    yield Sandbox(deployment, spec, runtime, files_of(tmp_path / spec.workspace_id), kind)
    await deployment.remove(spec.workspace_id, files=True)
    await deployment.close()


@pytest.fixture(scope="session")
def local_shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    shelf = Shelf(tmp_path_factory.mktemp("shelf"))
    yield shelf
    shelf.close()


@pytest.fixture(scope="session")
def docker_shelf(docker_engine: TestEngine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    shelf = Shelf(tmp_path_factory.mktemp("shelf"), docker_engine)
    yield shelf
    shelf.close()


@pytest.fixture
def sandbox(kind: str, request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """Lend a running sandbox with an empty workspace. `tests.support.shared_sandboxes` lists the possible remains of
    earlier tests."""
    shelf: Shelf = request.getfixturevalue("local_shelf" if kind == "local" else "docker_shelf")
    yield shelf.lend(kind)
    shelf.take_back(kind)
