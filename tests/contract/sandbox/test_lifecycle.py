"""Creating, stopping and removing sandboxes, on every deployment."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.ports import Deployment, SandboxSpec, SandboxState
from tests.contract.sandbox.conftest import Sandbox


@pytest.fixture
def sandbox(fresh_sandbox: Sandbox) -> Sandbox:
    """Provide each test with a sandbox of its own, because the tests stop, remove or change sandboxes."""
    return fresh_sandbox


async def test_ensure_may_race_with_itself(
    make_deployment: Callable[[], Deployment], spec: SandboxSpec, tmp_path: Path
) -> None:
    deployment = make_deployment()
    try:
        runtimes = await asyncio.gather(*(deployment.ensure(spec) for _ in range(5)))

        assert len({(await runtime.ping()).boot_id for runtime in runtimes}) == 1
        assert [status.workspace_id for status in await deployment.list()] == [spec.workspace_id]
    finally:
        await deployment.remove(spec.workspace_id, files=True)
        await deployment.close()


async def test_a_stopped_sandbox_answers_again_with_its_files(sandbox: Sandbox) -> None:
    await sandbox.runtime.write("a", b"kept")
    await sandbox.deployment.stop(sandbox.spec.workspace_id)
    assert (await sandbox.deployment.poll(sandbox.spec.workspace_id)).state != SandboxState.RUNNING

    assert (await sandbox.runtime.read("a")).content == b"kept"
    assert (await sandbox.deployment.poll(sandbox.spec.workspace_id)).state == SandboxState.RUNNING


async def test_every_verb_may_be_repeated(sandbox: Sandbox) -> None:
    for _ in range(2):
        await sandbox.deployment.stop(sandbox.spec.workspace_id)
    for _ in range(2):
        await sandbox.deployment.remove(sandbox.spec.workspace_id, files=True)

    assert (await sandbox.deployment.poll(sandbox.spec.workspace_id)).state == SandboxState.ABSENT


async def test_removal_takes_the_files_only_when_told(sandbox: Sandbox) -> None:
    await sandbox.runtime.write("a", b"kept")
    await sandbox.deployment.remove(sandbox.spec.workspace_id, files=False)
    runtime = await sandbox.deployment.ensure(sandbox.spec)
    assert (await runtime.read("a")).content == b"kept"

    await sandbox.deployment.remove(sandbox.spec.workspace_id, files=True)

    assert not (await (await sandbox.deployment.ensure(sandbox.spec)).stat("a")).exists


async def test_the_reaper_removes_what_nobody_knows_and_nothing_else(sandbox: Sandbox) -> None:
    other = replace(sandbox.spec, workspace_id="wsp_orphan")
    await sandbox.deployment.ensure(other)

    reaped = await sandbox.deployment.reap({sandbox.spec.workspace_id})

    assert reaped.containers == ("wsp_orphan",)
    assert [status.workspace_id for status in await sandbox.deployment.list()] == [sandbox.spec.workspace_id]
    await sandbox.deployment.remove("wsp_orphan", files=True)


@pytest.mark.docker
async def test_a_restarted_service_adopts_what_runs(
    sandbox: Sandbox, make_deployment: Callable[[], Deployment]
) -> None:
    if not sandbox.is_contained:
        pytest.skip("local sandboxes end with their service")
    before, report = await sandbox.runtime.ping(), await sandbox.deployment.report(sandbox.spec.workspace_id)
    await sandbox.deployment.close()

    successor = make_deployment()

    assert (await (await successor.ensure(sandbox.spec)).ping()).boot_id == before.boot_id
    assert await successor.report(sandbox.spec.workspace_id) == report
    assert report is not None
    assert report.passed
    await successor.close()


@pytest.mark.docker
async def test_a_changed_spec_makes_a_new_container_around_the_same_files(sandbox: Sandbox) -> None:
    if not sandbox.is_contained:
        pytest.skip("local sandboxes have no limits to change")
    await sandbox.runtime.write("a", b"kept")
    before = await sandbox.runtime.ping()
    changed = replace(sandbox.spec, limits=replace(sandbox.spec.limits, pids=200))

    runtime = await sandbox.deployment.ensure(changed)

    assert (await runtime.ping()).boot_id != before.boot_id
    assert (await runtime.read("a")).content == b"kept"
