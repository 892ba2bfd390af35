"""Find the OCI runtimes besides runc on this machine, and check in which of them a sandbox passes its self-check.

The marker of a test names its runtime. If this runtime fails the self-check, the first test of each module is skipped
with the reason. The other skipped tests are not counted, because hundreds of them would hide other reasons.
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
"""The problem of each runtime that was tried; empty if it is usable."""
TOLD: Final = ("told", "its runtime is no good")
"""The property of a skipped test that is not counted."""
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
    """Leave skipped tests with the property `TOLD` out of pytest's output. Test reports of other processes have lists
    instead of tuples."""
    is_told = report.outcome == "skipped" and TOLD in map(tuple, report.user_properties)
    return ("", "", "") if is_told else None


@pytest.fixture(scope="session")
def why_unusable(docker_engine: TestEngine) -> Callable[[str], str]:
    """Return a function that returns why a runtime is unusable, or "". Each runtime is tried once."""

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
    """Let other users enter a folder and its parents. Runtimes besides runc reach bound folders as the container's
    root, which is another user here, and pytest closes its folders to other users."""
    for path in (folder, *folder.parents):
        if path.stat().st_uid == os.getuid():
            path.chmod(path.stat().st_mode | 0o011)
