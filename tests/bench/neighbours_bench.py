"""Measure how much a workspace is slowed by a neighbour: the p95 of its calls beside each kind of hog, and alone.

.venv/bin/python -m tests.bench neighbours
"""

import asyncio
import subprocess
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final

from sandbox.errors import SandboxError
from sandbox.limits import Limits
from sandbox.ports import RunRequest, Runtime
from tests.bench.measuring import Target, percentile, report
from tests.bench.sandboxes import Bench, sandboxes

SECONDS: Final = 6.0
ROUNDS: Final = 3
"""Rounds, each of which measures alone and beside a hog, because the machine's speed varies. Their times are pooled."""
PAUSE: Final = 0.03
"""Seconds between two calls of the quiet workspace, which works without competing for the CPU."""
MOST_GROWTH: Final = 1.25
HOG_LIMITS: Final = Limits(memory_mib=512, disk_mib=256)
HOGS: Final = {
    "fork bomb": ":(){ :|:& };:; sleep 60",
    "memory hog": "while true; do python3 -c 'x = []\nwhile True: x.append(bytearray(8 << 20))'; done",
    "disk fill": "while true; do head -c 4G /dev/zero > fill; rm -f fill; done",
    "output flood": "yes flood",
    "inotify exhaustion": (
        "python3 -c 'import ctypes, time\nlibc = ctypes.CDLL(None)\nfor _ in range(100000): libc.inotify_init()\n"
        "time.sleep(60)'"
    ),
    "descriptor exhaustion": "while true; do python3 -c 'import os\nwhile True: os.pipe()' 2>/dev/null; done",
    "spinning threads": "for i in $(seq 64); do (while :; do :; done) & done; wait",
}


async def measure(bench: Bench) -> bool:
    machine = await _growth_without_containers()
    print(
        f"no containers: a process beside one spinning at the lowest priority: {machine:.2f} (what this machine does)"
    )
    quiet = await bench.deployment.ensure(bench.spec("quiet"))
    wild = await bench.deployment.ensure(bench.spec("wild", HOG_LIMITS))
    targets = []
    for name, command in HOGS.items():
        alone, beside = await alone_and_beside(quiet, [wild], command)
        print(f"{name:24} alone p95 {alone:8.2f} ms   beside p95 {beside:8.2f} ms")
        targets.append(Target(f"p95 beside a {name} / alone", beside / alone, MOST_GROWTH))
    return report(targets)


async def alone_and_beside(quiet: Runtime, wild: Sequence[Runtime], command: str) -> tuple[float, float]:
    """Return the p95 in milliseconds of the quiet workspace's calls, alone and while each wild workspace runs the
    command."""
    alone: list[float] = []
    beside: list[float] = []
    for _round in range(ROUNDS):
        alone += await _times(_short_call(quiet))
        hogs = [(each, asyncio.create_task(_run_wild(each, command))) for each in wild]
        await asyncio.sleep(0.5)
        beside += await _times(_short_call(quiet))
        for each, hog in hogs:
            await _tame(each, hog)
    return percentile(alone, 95), percentile(beside, 95)


async def _growth_without_containers() -> float:
    """Return the slowdown of a command by a busy process, both outside of containers. No sandbox can be better than
    this where cores share execution units."""

    async def call() -> object:
        return await asyncio.to_thread(subprocess.run, ["bash", "-c", "true"], check=True)

    alone = percentile(await _times(call), 95)
    spinning = await asyncio.create_subprocess_exec("nice", "-n", "19", "bash", "-c", "while :; do :; done")
    try:
        beside = percentile(await _times(call), 95)
    finally:
        spinning.kill()
        await spinning.wait()
    return beside / alone


def _short_call(runtime: Runtime) -> Callable[[], Awaitable[object]]:
    return lambda: runtime.run(RunRequest(uuid.uuid4().hex, "true"))


async def _times(call: Callable[[], Awaitable[object]]) -> list[float]:
    seconds = []
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        began = time.perf_counter()
        await call()
        seconds.append(time.perf_counter() - began)
        await asyncio.sleep(PAUSE)
    return seconds


async def _run_wild(runtime: Runtime, command: str) -> None:
    with suppress(SandboxError):
        await runtime.run(RunRequest("wild" + uuid.uuid4().hex, command, timeout=60))


async def _tame(runtime: Runtime, hog: "asyncio.Task[None]") -> None:
    for call_id in (await runtime.ping()).live_calls:
        await runtime.abort(call_id)
    await hog


def main() -> bool:
    with sandboxes() as bench:

        async def run() -> bool:
            try:
                return await measure(bench)
            finally:
                for name in ("quiet", "wild"):
                    await bench.deployment.remove(f"wsp_{name}", files=True)

        return asyncio.run(run())
