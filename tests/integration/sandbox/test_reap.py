"""A service or an engine that is killed at any time leaves nothing behind after a minute, and workspaces still work."""

import asyncio
import random
import shutil
import signal
import time
from collections.abc import AsyncIterator, Iterator
from typing import Final

import pytest

from sandbox.docker import DockerDeployment, reaper
from sandbox.engine.private import PrivateEngine, data_root
from sandbox.engine.processes import send_signal
from sandbox.errors import SandboxUnavailable
from sandbox.ports import RunRequest, SandboxState
from tests.integration.sandbox.machine import ask, leftovers
from tests.integration.sandbox.own_engine import SEED, SOAK, own_engine, own_site
from tests.support.killable import Nursery, nursery
from tests.support.lanes import fewer
from tests.support.sandbox_jobs import Site

pytestmark = [pytest.mark.docker, pytest.mark.chaos]

SERVICE_KILLS: Final = 100 if SOAK else fewer(25, default=6)
ENGINE_KILLS: Final = 20 if SOAK else fewer(4, default=1)
LONGEST_LIFE: Final = 0.8
"""Seconds until a service is killed; long enough for a container to be made, used and removed."""
PATIENCE: Final = 60.0
WORKSPACES: Final = ["wsp_a", "wsp_b", "wsp_c"]
ELSEWHERE: Final = ["wsp_of_another_node"]
"""A workspace of another node, because a site without any workspace is treated like a wrong database."""
CARRIERS: Final = ("socket", "stream")


@pytest.fixture(scope="module")
def engine_and_site() -> Iterator[tuple[PrivateEngine, Site]]:
    with own_engine() as (engine, image):
        yield engine, own_site(engine, image, "reap")


@pytest.fixture(scope="module")
def engine(engine_and_site: tuple[PrivateEngine, Site]) -> PrivateEngine:
    return engine_and_site[0]


@pytest.fixture(scope="module")
def site(engine_and_site: tuple[PrivateEngine, Site]) -> Site:
    return engine_and_site[1]


@pytest.fixture(scope="module")
def young() -> Iterator[Nursery]:
    with nursery("tests.support.sandbox_jobs") as young:
        yield young


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reaper, "RECHECK_DELAY", 1.0)


@pytest.fixture
async def deployment(site: Site) -> AsyncIterator[DockerDeployment]:
    deployment = site.deployment()
    yield deployment
    await deployment.reap([], elsewhere=ELSEWHERE)
    await deployment.close()


async def _assert_nothing_is_left(deployment: DockerDeployment, engine: PrivateEngine, site: Site) -> float:
    """Let the deployment remove leftovers of killed services until none are left; return the seconds that this took.

    The engine may continue for a while with requests of a killed service.
    """
    began = time.monotonic()
    while True:
        await deployment.reap([], elsewhere=ELSEWHERE)
        found = leftovers(engine, site.name)
        if not found:
            return time.monotonic() - began
        assert time.monotonic() - began < PATIENCE, f"seed {SEED}: {found}"
        await asyncio.sleep(0.1)


async def test_a_service_that_is_killed_at_any_instant_leaves_nothing_behind(
    engine: PrivateEngine, site: Site, young: Nursery, deployment: DockerDeployment, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(SEED)
    for number in range(SERVICE_KILLS):
        arguments = {**site.as_arguments(), "carrier": chance.choice(CARRIERS)}
        child = young.start(
            "tests.support.sandbox_jobs:live", site=arguments, seed=SEED + number, workspaces=WORKSPACES
        )
        assert not child.ends_within(chance.uniform(0.05, LONGEST_LIFE))
        child.kill()

    seconds = await _assert_nothing_is_left(deployment, engine, site)

    with capsys.disabled():
        print(f"\nseed {SEED}: {SERVICE_KILLS} services killed, nothing left after {seconds:.1f} s")


async def test_an_engine_that_is_killed_at_any_instant_leaves_nothing_behind(
    engine: PrivateEngine, site: Site, young: Nursery, deployment: DockerDeployment, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(SEED)
    child = young.start("tests.support.sandbox_jobs:live", site=site.as_arguments(), seed=SEED, workspaces=WORKSPACES)
    started = []
    for number in range(ENGINE_KILLS):
        assert not child.ends_within(chance.uniform(0.3, 2 * LONGEST_LIFE))
        _kill(engine, "dockerd", *(("containerd-shim-runc-v2",) if number % 2 else ()))
        began = time.monotonic()
        await asyncio.to_thread(engine.start)
        started.append(time.monotonic() - began)
    child.kill()

    seconds = await _assert_nothing_is_left(deployment, engine, site)

    with capsys.disabled():
        print(
            f"\nseed {SEED}: {ENGINE_KILLS} engines killed, each back within {max(started):.1f} s,"
            f" nothing left after {seconds:.1f} s"
        )


def _kill(engine: PrivateEngine, *programs: str) -> None:
    for process in engine.resources.processes():
        if process.program in programs:
            send_signal(process, signal.SIGKILL)


async def test_a_command_outlives_its_engine_and_its_result_arrives(
    engine: PrivateEngine, site: Site, deployment: DockerDeployment
) -> None:
    runtime = await deployment.ensure(site.spec("wsp_outlives"))
    began = asyncio.Event()
    request = RunRequest("call", "echo begun; sleep 1; echo ended")
    call = asyncio.create_task(runtime.run(request, on_output=lambda _: began.set()))
    await began.wait()

    _kill(engine, "dockerd")
    await asyncio.to_thread(engine.start)

    assert (await call).output == b"begun\nended\n"
    assert (await deployment.poll("wsp_outlives")).state == SandboxState.RUNNING


async def test_a_container_that_died_with_its_engine_is_started_again_and_its_call_is_lost(
    engine: PrivateEngine, site: Site, deployment: DockerDeployment
) -> None:
    runtime = await deployment.ensure(site.spec("wsp_dies"))
    began = asyncio.Event()
    request = RunRequest("call", "echo >> ran; echo begun; sleep 30")
    call = asyncio.create_task(runtime.run(request, on_output=lambda _: began.set()))
    await began.wait()

    _kill(engine, "dockerd", "containerd-shim-runc-v2")
    await asyncio.to_thread(engine.start)
    with pytest.raises(SandboxUnavailable):
        await call

    assert (await runtime.run(request)).end == "lost"
    assert (await runtime.read("ran")).content == b"\n"


async def test_what_an_engine_no_longer_knows_is_ended(
    engine: PrivateEngine, site: Site, deployment: DockerDeployment
) -> None:
    await deployment.ensure(site.spec("wsp_wanted"))
    await deployment.ensure(site.spec("wsp_forgotten"))
    _kill(engine, "dockerd")
    for record in data_root(engine.folder).glob("*.*/containers/*/config.v2.json"):
        if "wsp_forgotten" in record.read_text():
            shutil.rmtree(record.parent)
    await asyncio.to_thread(engine.start)
    assert len(leftovers(engine, site.name)["containers"]) == 1

    reaped = await deployment.reap(["wsp_wanted"])

    assert reaped.containers == ()
    assert "containerd-shim-runc-v2" in {name.split()[0] for name in reaped.shims}
    assert any(place.endswith("/merged") for place in reaped.mounts)
    assert (await deployment.poll("wsp_wanted")).state == SandboxState.RUNNING
    await _assert_nothing_is_left(deployment, engine, site)


async def test_half_made_things_of_the_site_are_removed_and_those_of_others_are_not(
    engine: PrivateEngine, site: Site, deployment: DockerDeployment
) -> None:
    import docker

    client = docker.DockerClient(base_url=engine.host)
    ours, others = {"agentsite.site": site.name}, {"agentsite.site": f"{site.name}-2"}
    for name, labels in (("ours", ours), ("others", others)):
        client.api.create_container(site.image, name=name, labels=labels)
        client.volumes.create(name, labels={**labels, "agentsite.workspace": "wsp_gone"})
    client.volumes.create("moved", labels={**ours, "agentsite.workspace": ELSEWHERE[0]})
    try:
        young = await deployment.reap([], elsewhere=ELSEWHERE, grace=60)
        nobody = await deployment.reap([])
        reaped = await deployment.reap([], elsewhere=ELSEWHERE)

        assert young.counts() == {}
        assert (len(nobody.containers), nobody.volumes) == (1, ())
        assert (reaped.containers, reaped.volumes) == ((), ("ours",))
        assert [container["Names"] for container in ask(engine, "/containers/json?all=1")] == [["/others"]]
    finally:
        client.api.remove_container("others")
        for name in ("others", "moved"):
            client.volumes.get(name).remove()
        client.close()
