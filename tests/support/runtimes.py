"""Other OCI runtimes than runc: which there are on this machine, and whether a sandbox on one passes its self-check.

On one that does not, the first test of each module is skipped with the reason, and the others are not counted: among
hundreds of skipped ones nobody would see another. A test is of the runtime that its marker names.
"""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from sandbox.engine.runtimes import RUNTIME_ARGUMENTS
from sandbox.errors import CheckFailed, SandboxError
from sandbox.ports import SandboxSpec
from tests.support.engine import TestEngine

INSTALLED: Final = tuple(name for name in RUNTIME_ARGUMENTS if shutil.which(name))


VERDICTS: Final[dict[str, str]] = {}
"""By runtime, once it was tried: why it is no good, or empty."""
TOLD: Final = ("told", "its runtime is no good")
"""Marks a skipped test that is not counted."""
SEEN: Final[set[tuple[str, str]]] = set()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    marker = item.get_closest_marker("runtimes")
    if marker is None or not marker.args:
        return
    here = item.location[0], str(marker.args[0])
    if here in SEEN and VERDICTS.get(here[1]):
        item.user_properties.append(TOLD)
    SEEN.add(here)


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Also asked where reports of other processes arrive, as lists instead of tuples."""
    is_told = report.outcome == "skipped" and TOLD in map(tuple, report.user_properties)
    return ("", "", "") if is_told else None


@pytest.fixture(scope="session")
def why_unusable(docker_engine: TestEngine) -> Callable[[str], str]:
    """Why sandboxes cannot be had on a runtime; empty when they can. Asked once for each."""

    def ask(runtime: str) -> str:
        if runtime not in VERDICTS:
            VERDICTS[runtime] = asyncio.run(_try_out(docker_engine, runtime))
        reason = VERDICTS[runtime]
        return f"{reason} (so with every test of the module)" if reason else ""

    return ask


async def _try_out(engine: TestEngine, runtime: str) -> str:
    from sandbox.docker import DockerDeployment

    folder = Path(tempfile.mkdtemp(prefix="runtime-"))
    let_others_pass(folder)
    deployment = DockerDeployment(folder, site=engine.site, docker_host=engine.host)
    try:
        await deployment.ensure(SandboxSpec(f"wsp_try_{runtime}", engine.image, runtime=runtime))
    except CheckFailed as error:
        return f"{runtime} fails the self-check: {', '.join(item.name for item in error.report.failures)}"
    except SandboxError as error:
        return f"{runtime}: {error.message}"
    finally:
        await deployment.remove(f"wsp_try_{runtime}", files=True)
        await deployment.close()
        shutil.rmtree(folder)
    return ""


def let_others_pass(folder: Path) -> None:
    """Runtimes beside runc reach what is bound as the container's root, which is nobody here; pytest's own folders are
    closed to everybody else."""
    for path in (folder, *folder.parents):
        if path.stat().st_uid == os.getuid():
            path.chmod(path.stat().st_mode | 0o011)
