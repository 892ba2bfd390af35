"""A limit that a command reaches is reported within five seconds, while it runs, with the limit's kind and a
message."""

import asyncio
import time
from dataclasses import dataclass, replace
from typing import Final

import pytest

from sandbox.limits import LimitHit, LimitKind, Limits
from sandbox.ports import RunRequest, RunResult, SandboxSpec
from tests.contract.sandbox.conftest import Sandbox, new_call

pytestmark = pytest.mark.docker

TOLD_WITHIN: Final = 20.0  # seconds on a busy machine; 0.3 on a quiet one
SMALL: Final = Limits(
    memory_mib=160, pids=100, tmp_mib=16, disk_mib=64, inodes=3000, open_files=200, output_mib=1, wall_seconds=20
)
OPEN_MANY: Final = """python3 -c '
import os, time
try:
    while True: os.open("/dev/null", 0)
except OSError: time.sleep(60)
'"""

MANY_THREADS: Final = """python3 -c '
import threading, time
try:
    for _ in range(200): threading.Thread(target=time.sleep, args=(3,), daemon=True).start()
except RuntimeError: time.sleep(1.5)
'"""


@dataclass(frozen=True, slots=True)
class Case:
    """A limit, and a `command` that reaches the limit and then waits. `after` frees the used resources."""

    kind: LimitKind
    command: str
    sentence: str
    after: str = "true"


CASES: Final = [
    Case("memory", "python3 -c 'x = bytearray(300 << 20)'; sleep 60", "may use 160 MiB"),
    Case("pids", "for i in $(seq 200); do sleep 60 & done 2> /dev/null; wait", "may have at most 100 processes"),
    Case("tmp", "head -c 30M /dev/zero > /tmp/fill; sleep 60", "all of its 16 MiB are used", "rm /tmp/fill"),
    Case("open_files", OPEN_MANY, "may have at most 200 files open"),
    Case("disk", "head -c 99M /dev/zero > fill; sleep 60", "64 MiB", "rm fill"),
    Case(
        "inodes",
        "mkdir many; cd many; seq 9000 | xargs touch 2> /dev/null; sleep 60",
        "files and folders allowed",
        "rm -r many",
    ),
    Case("output", "yes; sleep 60", "more than 1.0 MiB"),
]


@pytest.fixture
def spec(spec: SandboxSpec) -> SandboxSpec:
    return replace(spec, limits=SMALL)


@pytest.fixture
def sandbox(fresh_sandbox: Sandbox) -> Sandbox:
    """Provide a sandbox with small limits, which a test can reach."""
    return fresh_sandbox


@pytest.fixture(params=["docker"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def meet(sandbox: Sandbox, case: Case) -> tuple[LimitHit, float, RunResult]:
    """Run the command of a case and abort it at its limit. Return the reported limit, the seconds until the report, and
    the result."""
    told: asyncio.Queue[LimitHit] = asyncio.Queue()
    request, began = new_call(case.command, timeout=15.0), time.monotonic()
    running = asyncio.create_task(sandbox.runtime.run(request, on_limit=told.put_nowait))
    try:
        hit = await asyncio.wait_for(told.get(), 15.0)
        took = time.monotonic() - began
    finally:
        await sandbox.runtime.abort(request.call_id)
    result = await running
    assert (await sandbox.runtime.run(request)).limits == result.limits
    await sandbox.shell(case.after)
    return hit, took, result


async def test_every_limit_is_told_once_to_whoever_watches_and_with_the_result(sandbox: Sandbox) -> None:
    boot = (await sandbox.runtime.ping()).boot_id
    for case in CASES:
        hit, took, result = await meet(sandbox, case)

        assert (case.kind, hit.call_id) == (hit.kind, result.call_id)
        assert case.sentence in hit.message
        assert took < TOLD_WITHIN, case.kind
        assert result.limits == (hit,), case.kind
    assert (await sandbox.runtime.ping()).boot_id == boot


async def test_a_command_that_ends_at_once_has_its_limits_in_its_result(sandbox: Sandbox) -> None:
    commands = {
        "memory": "python3 -c 'x = bytearray(300 << 20)'",
        "tmp": "head -c 30M /dev/zero > /tmp/fill",
        "open_files": "python3 -c 'import os\nwhile True: os.open(\"/dev/null\", 0)'",
    }

    results = {kind: await sandbox.runtime.run(new_call(command)) for kind, command in commands.items()}

    assert {kind: [hit.kind for hit in result.limits] for kind, result in results.items()} == {
        kind: [kind] for kind in commands
    }
    again = await sandbox.runtime.run(new_call("echo x > /tmp/more; cat /tmp/more"))
    assert [hit.kind for hit in again.limits] == ["tmp"]
    assert (await sandbox.runtime.run(new_call("rm /tmp/fill"))).limits == ()


async def test_time_and_output_are_capped_by_the_limits_of_the_workspace(sandbox: Sandbox) -> None:
    request = RunRequest("call_flood", "yes", output_limit=1000, flood_limit=1 << 30)
    flooded = await sandbox.runtime.run(request)
    timed = await sandbox.runtime.run(new_call("sleep 60", timeout=0.4))

    assert (flooded.end, [hit.kind for hit in flooded.limits]) == ("flooded", ["output"])
    assert (timed.end, [hit.kind for hit in timed.limits]) == ("timeout", ["time"])
    listed = await sandbox.runtime.start(RunRequest("call_long", "sleep 60", timeout=9999))
    assert listed.seconds_left <= SMALL.wall_seconds


async def test_it_is_not_said_who_did_it_when_that_is_not_known(sandbox: Sandbox) -> None:
    await sandbox.runtime.start(RunRequest("call_beside", "sleep 60"))

    hog = await sandbox.runtime.run(new_call("python3 -c 'x = bytearray(300 << 20)'"))
    bomb = await sandbox.runtime.run(new_call(MANY_THREADS))

    assert [(hit.kind, hit.call_id) for hit in hog.limits] == [("memory", "")]
    assert [(hit.kind, hit.call_id) for hit in bomb.limits] == [("pids", bomb.call_id)]
    beside = (await sandbox.runtime.peek("call_beside")).call
    assert (beside.is_running, [hit.kind for hit in beside.limits]) == (True, ["memory"])


@pytest.mark.parametrize("kind", ["docker-stream"], indirect=True)
async def test_a_disk_that_has_to_be_counted_is_told_as_well(sandbox: Sandbox) -> None:
    """The disk limit is also reported on volumes of the container engine. They have no size limit, so the runner counts
    their files."""
    (case,) = (case for case in CASES if case.kind == "disk")

    hit, took, _ = await meet(sandbox, case)

    assert (hit.kind, took < TOLD_WITHIN) == ("disk", True)
    assert case.sentence in hit.message
