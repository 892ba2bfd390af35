"""Measure calls per second over 1, 4 and 16 containers, compared with native calls and `docker exec`.

.venv/bin/python -m tests.bench throughput
"""

import asyncio
import subprocess
import time
import uuid
from collections.abc import Awaitable, Callable
from typing import Final

from sandbox.ports import RunRequest, Runtime
from tests.bench.measuring import Target, report
from tests.bench.sandboxes import Bench, sandboxes

COUNTS: Final = (1, 4, 16)
SECONDS: Final = 3.0
ROUNDS: Final = 3

Worker = Callable[[int], Awaitable[object]]


async def measure(bench: Bench) -> bool:
    runtimes = [await bench.deployment.ensure(bench.spec(f"busy{number}")) for number in range(max(COUNTS))]
    rates = {count: await _rates(bench, runtimes, count) for count in COUNTS}
    print(f"{'calls/s of bash -c true':30}{'runner':>10}{'native':>10}{'docker exec':>14}")
    for count, (runner, native, engine) in rates.items():
        print(f"{f'{count} at a time':30}{runner:10.0f}{native:10.0f}{engine:14.0f}")
    runner, native, engine = rates[max(COUNTS)]
    return report(
        [
            Target(f"{max(COUNTS)} containers: share of native", runner / native, 0.6, at_least=True),
            Target(f"{max(COUNTS)} containers: runner / docker exec", runner / engine, 10, at_least=True),
        ]
    )


async def _rates(bench: Bench, runtimes: list[Runtime], count: int) -> tuple[float, float, float]:
    """Return how many commands per second complete with the runner, natively and with `docker exec`: the best of a few
    alternating rounds."""

    async def through_runner(worker: int) -> object:
        return await runtimes[worker].run(RunRequest(uuid.uuid4().hex, "true"))

    async def natively(_worker: int) -> object:
        return await asyncio.to_thread(_bash)

    async def through_engine(worker: int) -> object:
        prefix = ("docker", "--host", bench.host, "exec", "--user", "1000", bench.container(f"busy{worker}"))
        return await asyncio.to_thread(_bash, *prefix)

    rounds = [
        [await _rate(worker, count) for worker in (through_runner, natively, through_engine)] for _ in range(ROUNDS)
    ]
    runner, native, engine = (max(column) for column in zip(*rounds, strict=True))
    return runner, native, engine


def _bash(*prefix: str) -> None:
    subprocess.run([*prefix, "bash", "-c", "true"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


async def _rate(call: Worker, count: int) -> float:
    end = time.perf_counter() + SECONDS

    async def work(worker: int) -> int:
        done = 0
        while time.perf_counter() < end:
            await call(worker)
            done += 1
        return done

    began = time.perf_counter()
    done = sum(await asyncio.gather(*(work(worker) for worker in range(count))))
    return done / (time.perf_counter() - began)


def main() -> bool:
    with sandboxes() as bench:

        async def run() -> bool:
            try:
                return await measure(bench)
            finally:
                for number in range(max(COUNTS)):
                    await bench.deployment.remove(f"wsp_busy{number}", files=True)

        return asyncio.run(run())
