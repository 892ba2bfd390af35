"""Compare calls through the runner with native calls and `docker exec`, all in one run.

.venv/bin/python -m tests.bench runner
"""

import asyncio
import subprocess
import time
import uuid
from typing import Final

from sandbox.ports import RunRequest, Runtime
from tests.bench.measuring import Measured, Series, Target, blocking, measure_in_turns, percentile, report
from tests.bench.sandboxes import Bench, sandboxes

ROUNDS: Final = 30
BATCH: Final = 10
LINES: Final = "".join(f"line {number} with some words to make it as long as code is\n" for number in range(2000))
STREAMED: Final = 300
# The clock is the machine's: what is printed inside can be compared with what the clock says outside.
TICKING: Final = f"""python3 -c '
import time
for _ in range({STREAMED}):
    print(time.monotonic_ns(), flush=True)
    time.sleep(0.004)
'"""


async def measure(bench: Bench) -> bool:
    runtime = await bench.deployment.ensure(bench.spec("calls"))
    try:
        series = await _prepare(runtime, bench)
        await measure_in_turns(series.values(), rounds=ROUNDS, batch=BATCH)
        streamed = await _stream(runtime)
    finally:
        await bench.deployment.remove("wsp_calls", files=True)
    for kind in series.values():
        print(kind.line())
    native = series["run"].median / series["run native"].median
    return report(
        [
            Target("bash -c true: runner / native", native, 1.6),
            Target(
                "bash -c true: docker exec / runner",
                series["run exec"].median / series["run"].median,
                20,
                at_least=True,
            ),
            Target("read 2,000 lines", series["read"].median, 3, "ms"),
            Target("a line on its way to us, p50", percentile(streamed, 50), 1, "ms"),
            Target("a line on its way to us, p95", percentile(streamed, 95), 5, "ms"),
        ]
    )


async def _prepare(runtime: Runtime, bench: Bench) -> dict[str, Series]:
    await runtime.write("lines.txt", LINES.encode())
    native = bench.folder / "lines.txt"
    native.write_text(LINES)
    docker_exec = ("docker", "--host", bench.host, "exec", "--user", "1000", bench.container("calls"))

    async def run() -> object:
        return await runtime.run(RunRequest(uuid.uuid4().hex, "true"))

    return {
        "ping": Series("runner: ping", runtime.ping),
        "read": Series("runner: read 2,000 lines", lambda: runtime.read("lines.txt")),
        "read native": Series("native: read 2,000 lines", blocking(lambda: native.read_text().splitlines())),
        "run": Series("runner: bash -c true", run),
        "run native": Series("native: bash -c true", _bash()),
        "run exec": Series("docker exec: bash -c true", _bash(*docker_exec), slow=True),
    }


def _bash(*prefix: str) -> Measured:
    return blocking(lambda: subprocess.run([*prefix, "bash", "-c", "true"], check=True, capture_output=True))


async def _stream(runtime: Runtime) -> list[float]:
    """Return, for each line that a command in the sandbox prints, the seconds until the line arrives at this
    process."""
    delays: list[float] = []

    def arrived(chunk: bytes) -> None:
        now = time.monotonic_ns()
        delays.extend((now - int(line)) / 1e9 for line in chunk.split())

    await runtime.run(RunRequest(uuid.uuid4().hex, TICKING), on_output=arrived)
    return delays


def main() -> bool:
    with sandboxes() as bench:
        return asyncio.run(measure(bench))
