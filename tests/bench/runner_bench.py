"""What a call costs through the runner, against the same natively and through `docker exec`, all in one run.

    .venv/bin/python -m tests.bench.runner_bench [--rounds 300]

The kinds take turns in small batches, so that a busy machine slows all of them alike; ratios are of medians.
"""

import argparse
import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sandbox.docker import DockerDeployment
from sandbox.docker.container import container_name
from sandbox.engine import api
from sandbox.engine.private import PrivateEngine
from sandbox.image.build import ensure_image
from sandbox.ports import RunRequest, Runtime, SandboxSpec

REPOSITORY: Final = Path(__file__).resolve().parent.parent.parent
BATCH: Final = 10
LINES: Final = "".join(f"line {number} with some words to make it as long as code is\n" for number in range(2000))
TARGET_NATIVE: Final = 2.0
TARGET_EXEC: Final = 20.0

Measured = Callable[[], Awaitable[object]]


@dataclass
class Series:
    name: str
    action: Measured
    seconds: list[float] = field(default_factory=list)

    async def measure(self, times: int) -> None:
        for _ in range(times):
            start = time.perf_counter()
            await self.action()
            self.seconds.append(time.perf_counter() - start)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds) * 1000

    def line(self) -> str:
        deciles = [value * 1000 for value in statistics.quantiles(self.seconds, n=10)]
        return f"{self.name:34}{self.median:9.3f} ms  ({deciles[0]:.3f} to {deciles[-1]:.3f}, n = {len(self.seconds)})"


def blocking(action: Callable[[], object]) -> Measured:
    async def run() -> object:
        return action()

    return run


def run_bash(*prefix: str) -> Measured:
    return blocking(lambda: subprocess.run([*prefix, "bash", "-c", "true"], check=True, capture_output=True))


async def measure(host: str, folder: Path, rounds: int) -> dict[str, Series]:
    deployment = DockerDeployment(folder, site="bench", docker_host=host)
    spec = SandboxSpec("wsp_bench", ensure_image(REPOSITORY / "var" / "cache", docker_host=host, say=sys.stderr.write))
    try:
        runtime = await deployment.ensure(spec)
        series = await prepare(runtime, folder, host)
        for kind in series.values():
            await kind.action()
        for _ in range(rounds // BATCH):
            for kind in series.values():
                await kind.measure(1 if "docker exec" in kind.name else BATCH)
        return series
    finally:
        await deployment.remove(spec.workspace_id, files=True)
        await deployment.close()


async def prepare(runtime: Runtime, folder: Path, host: str) -> dict[str, Series]:
    await runtime.write("lines.txt", LINES.encode())
    native = folder / "lines.txt"
    native.write_text(LINES)
    docker_exec = ("docker", "--host", host, "exec", "--user", "1000", container_name("bench", "wsp_bench"))

    async def run() -> object:
        return await runtime.run(RunRequest(uuid.uuid4().hex, "true"))

    return {
        "ping": Series("runner: ping", runtime.ping),
        "read": Series("runner: read 2,000 lines", lambda: runtime.read("lines.txt")),
        "read native": Series("native: read 2,000 lines", blocking(lambda: native.read_text().splitlines())),
        "run": Series("runner: bash -c true", run),
        "run native": Series("native: bash -c true", run_bash()),
        "run exec": Series("docker exec: bash -c true", run_bash(*docker_exec)),
    }


def report(series: dict[str, Series]) -> bool:
    """Prints what was measured; whether the targets were reached."""
    for kind in series.values():
        print(kind.line())
    native = series["run"].median / series["run native"].median
    faster = series["run exec"].median / series["run"].median
    print(f"\nbash -c true: {native:.2f}x native (target at most {TARGET_NATIVE})")
    print(f"bash -c true: {faster:.1f}x faster than docker exec (target at least {TARGET_EXEC})")
    print(f"read:         {series['read'].median / series['read native'].median:.1f}x native")
    return native <= TARGET_NATIVE and faster >= TARGET_EXEC


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and report; 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=300)
    rounds = parser.parse_args(arguments).rounds
    engine = PrivateEngine(REPOSITORY / "var" / "test" / "bench")
    running = api.running_engine()
    host = running or engine.start()
    try:
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            return 0 if report(asyncio.run(measure(host, Path(folder), rounds))) else 1
    finally:
        if running is None:
            engine.stop()


if __name__ == "__main__":
    sys.exit(main())
