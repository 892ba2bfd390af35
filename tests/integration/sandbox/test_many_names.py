"""Many or long file names do not end the runner: results that need too much memory are refused, or marked as
truncated."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Final

import pytest

from sandbox.docker import DockerDeployment
from sandbox.errors import LimitReached
from sandbox.limits import Limits
from sandbox.ports import Runtime, SandboxSpec
from tests.contract.sandbox.conftest import new_call
from tests.support.engine import TestEngine
from tests.support.lanes import fewer

pytestmark = [pytest.mark.docker, pytest.mark.skipif(os.getuid() != 0, reason="only root can mount")]

LIMITS: Final = Limits(memory_mib=128, pids=64, tmp_mib=16, disk_mib=512, inodes=150_000)
MAKE: Final = r"""
import os
os.mkdir("top")
os.chdir("top")
for _ in range(14):
    os.mkdir(b"\xff" * 236)
    os.chdir(b"\xff" * 236)
for number in range({count}):
    os.close(os.open(b"%06d" % number + b"\xfe" * 230, os.O_CREAT | os.O_WRONLY))
"""
"""Creates files whose names are not valid text, as deep as possible: each path has 3,500 bytes, and 21,000 in JSON."""
MAKE_FOLDERS: Final = MAKE.replace("os.close(os.open(", "os.mkdir((").replace(", os.O_CREAT | os.O_WRONLY", "")


@pytest.fixture
async def small(docker_engine: TestEngine, tmp_path: Path) -> AsyncIterator[Runtime]:
    """Run a workspace with the smallest memory limit that a policy may set."""
    deployment = DockerDeployment(tmp_path, site=docker_engine.site, docker_host=docker_engine.host)
    yield await deployment.ensure(SandboxSpec("wsp_small", docker_engine.image, limits=LIMITS))
    await deployment.remove("wsp_small", files=True)
    await deployment.close()


async def shell(runtime: Runtime, command: str) -> str:
    return (await runtime.run(new_call(command, timeout=120.0))).output.decode("utf-8", "replace")


async def make(runtime: Runtime, program: str, count: int) -> None:
    assert await shell(runtime, f"python3 - <<'END'\n{program.format(count=count)}\nEND") == ""


async def refused_or_done(request: Awaitable[object]) -> str:
    try:
        await request
    except LimitReached as error:
        return error.message
    return "done"


def requests_of(runtime: Runtime, snapshot: str) -> dict[str, Callable[[], Awaitable[object]]]:
    deepest = "/".join(["top", *["\udcff" * 236] * 14])
    return {
        "snapshot": runtime.snapshot,
        "diff": lambda: runtime.diff(snapshot),
        "glob": lambda: runtime.glob("**", limit=10_000),
        "list": lambda: runtime.list(deepest, limit=20_000),
        "grep": lambda: runtime.grep("x"),
        "archive_state": runtime.archive_state,
        "usage": runtime.usage,
    }


@pytest.mark.full
@pytest.mark.parametrize("kind", ["repository", "plain", "folders"])
async def test_very_many_very_long_names_end_neither_the_runner_nor_a_command(small: Runtime, kind: str) -> None:
    await shell(small, "echo 1 > a; git init -q ." if kind == "repository" else "echo 1 > a")
    snapshot, boot = await small.snapshot(), (await small.ping()).boot_id
    await make(small, MAKE_FOLDERS if kind == "folders" else MAKE, 99_000)
    meanwhile = asyncio.create_task(small.run(new_call("while [ ! -e end ]; do sleep 0.1; done; echo it ran")))

    said = {name: await refused_or_done(request()) for name, request in requests_of(small, snapshot).items()}

    await small.write("end", b"")
    assert (await meanwhile).output == b"it ran\n"
    assert (await small.ping()).boot_id == boot
    assert {name for name, words in said.items() if words == "done"} >= {"glob", "grep", "archive_state", "usage"}
    assert said["list"] == "This directory has too many names to list."
    assert said["snapshot"] == said["diff"]
    assert said["snapshot"].startswith("The workspace has too many files to compare")


@pytest.mark.full
async def test_the_same_requests_side_by_side_end_nothing_either(small: Runtime) -> None:
    await shell(small, "echo 1 > a; git init -q .")
    snapshot, boot = await small.snapshot(), (await small.ping()).boot_id
    await make(small, MAKE, 20_000)

    await asyncio.gather(
        *(refused_or_done(request()) for request in requests_of(small, snapshot).values() for _ in range(3))
    )

    assert (await small.ping()).boot_id == boot
    assert await shell(small, "rm -rf top; echo 2 > a; echo fine") == "fine\n"
    assert [change.path for change in await small.diff(snapshot)] == ["a"]


async def test_as_many_files_as_a_snapshot_may_have_are_compared(small: Runtime) -> None:
    names = "import os\nfor n in range({}): open('f%06d' % n, 'w').close()"
    number = fewer(20_000, default=4_000)
    await shell(small, f'mkdir many; cd many; python3 -c "{names.format(number)}"')
    before, boot = await small.snapshot(), (await small.ping()).boot_id
    await shell(small, "rm -r many; touch b")

    changes = await small.diff(before)

    assert len(changes) == number + 1
    assert (await small.ping()).boot_id == boot
