"""Measure how long a person waits for a workspace, and how much memory an idle workspace uses.

.venv/bin/python -m tests.bench lifecycle
"""

import asyncio
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sandbox.ports import RunRequest
from tests.bench.measuring import Series, Target, report
from tests.bench.sandboxes import Bench, sandboxes

COLD: Final = 30
IDLE: Final = 100
AT_ONCE: Final = 4
SETTLED: Final = 2.0
"""Seconds from the last start to the measurement of the idle containers."""


async def measure(bench: Bench) -> bool:
    cold = Series("cold: create to the first result", lambda: _first_result(bench, f"cold{uuid.uuid4().hex[:8]}"))
    warm = Series("start of a stopped one to the first result", lambda: _first_result(bench, "warm"))
    for _ in range(COLD):
        await cold.measure(1)
        await bench.deployment.stop("wsp_warm")
        await warm.measure(1)
    await bench.deployment.remove("wsp_warm", files=True)
    await _remove_all(bench)
    print(cold.line())
    print(warm.line())
    idle, seconds = await _idle(bench)
    print(f"{IDLE} idle workspaces, {AT_ONCE} at a time: {IDLE / seconds:.1f}/s")
    return report(
        [
            Target("cold create to first result, p95", cold.p95, 600, "ms"),
            Target("stopped to first result, p95", warm.p95, 400, "ms"),
            Target(f"memory of each of {IDLE} idle workspaces", idle, 10, "MiB"),
        ]
    )


async def _first_result(bench: Bench, name: str) -> None:
    runtime = await bench.deployment.ensure(bench.spec(name))
    result = await runtime.run(RunRequest(uuid.uuid4().hex, "true"))
    assert result.exit_code == 0


async def _idle(bench: Bench) -> tuple[float, float]:
    """Create the idle workspaces. Return the MiB that each uses, and the seconds that it took to create all of them."""
    began = time.perf_counter()
    gate = asyncio.Semaphore(AT_ONCE)

    async def make(number: int) -> None:
        async with gate:
            await bench.deployment.ensure(bench.spec(f"idle{number}"))

    await asyncio.gather(*(make(number) for number in range(IDLE)))
    seconds = time.perf_counter() - began
    await asyncio.sleep(SETTLED)
    return sum(_memory_of(bench.container_ids())) / IDLE / (1 << 20), seconds


def _memory_of(containers: list[str]) -> Iterator[int]:
    """Yield the bytes of each process of these containers (shim, init, runner); shared pages count in proportion
    (PSS)."""
    wanted = [container.encode() for container in containers]
    for process in Path("/proc").iterdir():
        try:
            names = (process / "cmdline").read_bytes() + (process / "cgroup").read_bytes()
            if any(container in names for container in wanted):
                rollup = (process / "smaps_rollup").read_text().splitlines()
                yield next(int(line.split()[1]) << 10 for line in rollup if line.startswith("Pss:"))
        except (OSError, StopIteration):
            continue


async def _remove_all(bench: Bench) -> None:
    gate = asyncio.Semaphore(AT_ONCE)

    async def remove(workspace_id: str) -> None:
        async with gate:
            await bench.deployment.remove(workspace_id, files=True)

    await asyncio.gather(*(remove(status.workspace_id) for status in await bench.deployment.list()))


def main() -> bool:
    with sandboxes() as bench:

        async def run() -> bool:
            try:
                return await measure(bench)
            finally:
                await _remove_all(bench)

        return asyncio.run(run())
