"""Measure the recording of file changes by tool calls in a repository of 10,000 files, inside a container.

.venv/bin/python -m tests.bench snapshots
"""

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable
from typing import Final

from sandbox.ports import RunRequest, Runtime
from tests.bench.measuring import Target, percentile, report
from tests.bench.sandboxes import Bench, sandboxes

FOLDERS: Final = 400
FILES: Final = 25  # in each folder
ROUNDS: Final = 60
MAKE: Final = (
    f"git init -q .; for i in $(seq {FOLDERS}); do mkdir -p d$i; "
    f"for j in $(seq {FILES}); do echo $i $j > d$i/f$j; done; done"
)


async def measure(bench: Bench) -> bool:
    runtime = await bench.deployment.ensure(bench.spec("snapshots"))
    try:
        await runtime.run(RunRequest(uuid.uuid4().hex, MAKE, timeout=120))
        began = time.perf_counter()
        await runtime.snapshot()
        first = (time.perf_counter() - began) * 1000
        unchanged = await _timed(runtime.snapshot)
        plain = await _timed(lambda: _run(runtime, "true", recorded=False))
        recorded = await _timed(lambda: _run(runtime, "true", recorded=True))
        in_place = await _timed(lambda: _run(runtime, "echo $RANDOM > d1/f1", recorded=True))
        written = await _timed(lambda: runtime.write("d2/f2", uuid.uuid4().bytes))
        recorded_write = await _timed(lambda: _write(runtime))
    finally:
        await bench.deployment.remove("wsp_snapshots", files=True)
    print(f"the first snapshot                     {first:8.1f} ms")
    for name, times in (
        ("a command without a record", plain),
        ("a command that changes nothing", recorded),
        ("a command that changes a file", in_place),
        ("a write without a record", written),
        ("a recorded write", recorded_write),
    ):
        print(f"{name:38} {percentile(times, 50):8.2f} ms p50  {percentile(times, 95):8.2f} ms p95")
    return report(
        [
            Target("snapshot of 10,000 unchanged files, p50", percentile(unchanged, 50), 10, "ms"),
            Target(
                "recording a command that changes nothing, p50",
                max(0.0, percentile(recorded, 50) - percentile(plain, 50)),
                2,
                "ms",
            ),
        ]
    )


async def _timed(work: Callable[[], Awaitable[object]]) -> list[float]:
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        await work()
        times.append(time.perf_counter() - began)
    return times


async def _run(runtime: Runtime, command: str, *, recorded: bool) -> None:
    call = uuid.uuid4().hex
    used = runtime.recording(call, "ses_bench") if recorded else runtime
    await used.run(RunRequest(call, command))
    if recorded:
        await used.changes_of(call)


async def _write(runtime: Runtime) -> None:
    call = uuid.uuid4().hex
    used = runtime.recording(call, "ses_bench")
    await used.write("d2/f2", uuid.uuid4().bytes)
    await used.changes_of(call)


def main() -> bool:
    with sandboxes() as bench:
        return asyncio.run(measure(bench))
