from pathlib import Path

import pytest

from sandbox import local
from sandbox.errors import SandboxUnavailable
from sandbox.local import LocalDeployment
from sandbox.ports import SandboxSpec


def test_a_sandbox_without_walls_must_be_wanted(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="for tests only"):
        LocalDeployment(tmp_path)


def test_a_sandbox_without_walls_does_not_exist_outside_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for mark in local.TEST_VARIABLES:
        monkeypatch.delenv(mark, raising=False)

    with pytest.raises(SandboxUnavailable, match="for tests only"):
        LocalDeployment(tmp_path, for_tests=True)


async def test_a_sandbox_without_walls_never_passes_its_self_check(tmp_path: Path) -> None:
    deployment = LocalDeployment(tmp_path, for_tests=True)
    try:
        runtime = await deployment.ensure(SandboxSpec("wsp_1", "none"))

        reports = [await runtime.check(), await deployment.report("wsp_1")]

        failures = [[item.name for item in report.failures] for report in reports if report]
        assert failures == [["isolation"], ["isolation"]]
        assert await deployment.report("wsp_2") is None
    finally:
        await deployment.close()
