"""Measure the door (the proxy for workspaces): a download through it and a direct one, the time to the first byte, and
the delay of other workspaces.

.venv/bin/python -m tests.bench door
"""

import asyncio
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final

from sandbox.ports import RunRequest, Runtime
from tests.bench.measuring import Target, percentile, report
from tests.bench.neighbours_bench import alone_and_beside
from tests.bench.sandboxes import REPOSITORY, Bench, sandboxes
from tests.support.running_site import cpu_seconds, free_port

SIZE: Final = 100_000_000  # bytes
DOWNLOADS: Final = 5
FIRST_BYTES: Final = 200  # requests
MOST_FIRST_BYTE: Final = 50.0  # milliseconds
MOST_GROWTH: Final = 1.25
NAMES: Final = ("quiet", "first", "second")
CURL: Final = "curl -sS --noproxy '' -o /dev/null -w '%{time_starttransfer} %{time_total}\\n'"


async def measure(bench: Bench, place: str, door: int) -> bool:
    quiet, *downloading = [await bench.deployment.ensure(bench.spec(name)) for name in NAMES]
    for runtime in (quiet, *downloading):
        await _wait_for_door(runtime)
    direct = [_seconds(_curl_here(f"http://{place}/large"))[1] for _ in range(DOWNLOADS)]
    used = cpu_seconds(door)
    through = [(await _curl(quiet, f"http://{place}/large"))[1] for _ in range(DOWNLOADS)]
    used = (cpu_seconds(door) - used) / DOWNLOADS
    first = [(await _curl(quiet, f"http://{place}/small"))[0] for _ in range(FIRST_BYTES)]
    first_here = [_seconds(_curl_here(f"http://{place}/small"))[0] for _ in range(FIRST_BYTES)]
    print(f"100 MB: direct {min(direct):.2f} s, through the door {min(through):.2f} s with {used:.2f} s of its CPU")
    print(f"first byte p95, direct: {percentile(first_here, 95):.2f} ms")
    forever = f"while :; do {CURL} http://{place}/large; done"
    alone, beside = await alone_and_beside(quiet, downloading, forever)
    print(f"short commands: alone p95 {alone:.2f} ms, beside two downloads p95 {beside:.2f} ms")
    return report(
        [
            Target("first byte through the door, p95", percentile(first, 95), MOST_FIRST_BYTE, "ms"),
            Target("p95 of commands beside two downloads / alone", beside / alone, MOST_GROWTH),
        ]
    )


async def _curl(runtime: Runtime, url: str) -> Sequence[float]:
    result = await runtime.run(RunRequest(uuid.uuid4().hex, f"{CURL} {url}"))
    return _seconds(result.output.decode())


def _curl_here(url: str) -> str:
    return subprocess.run(f"{CURL} {url}", shell=True, check=True, capture_output=True, text=True).stdout


def _seconds(said: str) -> Sequence[float]:
    """Parse the seconds until the first byte and until the last byte from curl's output."""
    return [float(word) for word in said.split()]


async def _wait_for_door(runtime: Runtime) -> None:
    end = time.monotonic() + 30
    while b"http" not in (await runtime.run(RunRequest(uuid.uuid4().hex, "echo $HTTP_PROXY"))).output:
        if time.monotonic() > end:
            raise SystemExit("The door was not linked.")


@contextmanager
def _process(*command: str, **environment: str) -> Iterator[int]:
    started = subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=REPOSITORY,
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield started.pid
    finally:
        started.kill()
        started.wait()


def main() -> bool:
    place = f"127.0.0.1:{free_port()}"
    with sandboxes() as bench, ExitStack() as running:
        pages = bench.folder / "pages"
        pages.mkdir()
        (pages / "large").write_bytes(bytes(SIZE))
        (pages / "small").write_bytes(b"small")
        port = place.rpartition(":")[2]
        running.enter_context(_process("http.server", port, "--bind", "127.0.0.1", "--directory", str(pages)))
        door = running.enter_context(_process("tests.bench.open_door", str(bench.folder), NETWORK_ALLOW=place))

        async def run() -> bool:
            try:
                return await measure(bench, place, door)
            finally:
                for name in NAMES:
                    await bench.deployment.remove(f"wsp_{name}", files=True)

        return asyncio.run(run())
