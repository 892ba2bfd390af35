"""The usage of a sandbox, together with its limits."""

import asyncio
import time

import pytest

from sandbox.limits import SandboxUsage
from sandbox.ports import RunRequest
from tests.contract.sandbox.conftest import Sandbox

MIB = 1 << 20


@pytest.fixture
def sandbox(fresh_sandbox: Sandbox) -> Sandbox:
    """Give each test its own sandbox, because the usage includes calls of earlier tests."""
    return fresh_sandbox


async def test_usage_is_told_with_its_limits(sandbox: Sandbox) -> None:
    await sandbox.runtime.write("large", bytes(8 * MIB))
    await sandbox.shell("python3 -c 'for i in range(10**6): pass'")

    usage = await sandbox.runtime.usage()

    assert usage.disk.used >= 8 * MIB
    assert usage.inodes.used >= 1
    assert usage.cpus > 0
    assert abs(usage.at - time.time()) < 60
    if sandbox.is_contained:
        assert _limits(usage) == (512 * MIB, 256, 64 * MIB, 2.0)
        assert 0 < usage.memory.used < 512 * MIB
        assert 4096 * MIB * 0.9 < usage.disk.limit <= 4096 * MIB
        assert usage.inodes.limit >= 400_000
        assert usage.cpu_seconds > 0
    else:
        assert (usage.disk.limit, usage.tmp.limit) == (0, 0)


def _limits(usage: SandboxUsage) -> tuple[int, int, int, float]:
    return usage.memory.limit, usage.pids.limit, usage.tmp.limit, usage.cpus


async def test_usage_follows_what_runs(sandbox: Sandbox) -> None:
    if not sandbox.is_contained:
        return
    before = await sandbox.runtime.usage()
    hold = 'x = bytearray(100 << 20); open("/tmp/fill", "wb").write(bytes(20 << 20)); print(1, flush=1); input()'
    await sandbox.runtime.start(RunRequest("call_hold", f"sleep 60 | python3 -c '{hold}'"))
    async with asyncio.timeout(20):
        while not (await sandbox.runtime.peek("call_hold")).output:
            await asyncio.sleep(0.05)

    after = await sandbox.runtime.usage()

    assert after.memory.used - before.memory.used > 110 * MIB
    assert after.tmp.used - before.tmp.used >= 20 * MIB
    assert after.pids.used - before.pids.used >= 2
    assert after.cpu_seconds > before.cpu_seconds
