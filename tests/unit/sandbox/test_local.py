import os
from pathlib import Path

import pytest

from sandbox import local
from sandbox.errors import SandboxUnavailable
from sandbox.local import LocalDeployment, LocalRunner
from sandbox.ports import SandboxSpec
from tests.support.deadline import wait_until


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


def start_runner(folder: Path) -> LocalRunner:
    for name in local.FOLDERS:
        (folder / name).mkdir(parents=True)
    return LocalRunner(folder)


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def test_runners_are_forked_from_one_process_into_sessions_of_their_own(tmp_path: Path) -> None:
    runners = [start_runner(tmp_path / name) for name in ("first", "second")]
    try:
        wait_until(lambda: all((tmp_path / name / "runner/socket").exists() for name in ("first", "second")), "both")
        assert len({parent_of(runner.pid) for runner in runners} - {os.getpid()}) == 1
        assert [os.getsid(runner.pid) for runner in runners] == [runner.pid for runner in runners]
    finally:
        for runner in runners:
            runner.release()


def test_a_runner_ends_when_nobody_holds_it_any_more(tmp_path: Path) -> None:
    runner = start_runner(tmp_path / "first")
    assert not runner.has_ended()

    runner.release()

    wait_until(lambda: not Path(f"/proc/{runner.pid}").exists(), "the runner has ended, and is no zombie")
