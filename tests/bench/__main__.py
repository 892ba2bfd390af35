"""`make bench`: what the machinery costs, as ratios and times measured in one run on this machine."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.bench import lifecycle_bench, neighbours_bench, runner_bench, throughput_bench
from tests.bench.permission_bench import main as measure_permissions
from tests.bench.steps_bench import SESSIONS, Measured, measure_many, measure_one
from tests.bench.viewers_bench import Watched, measure_viewers
from tests.support.api_client import ApiClient
from tests.support.model_server import ModelServer
from tests.support.running_site import RunningSite, free_port, running_site

SANDBOX_PARTS: Final = {
    "runner": runner_bench.main,
    "lifecycle": lifecycle_bench.main,
    "throughput": throughput_bench.main,
    "neighbours": neighbours_bench.main,
}
STATE = Path(__file__).resolve().parent.parent.parent / "var" / "bench"


@contextmanager
def bench_site() -> Iterator[tuple[RunningSite, ModelServer]]:
    """A site of its own, with the scripted model as a process of its own too."""
    port = free_port()
    command = [sys.executable, "-m", "deploy.demo_model", "--port", str(port), "--chunk-delay", "0", "--control"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as model:
        server = ModelServer(f"http://127.0.0.1:{port}")
        environment = {"MODEL_NAME": "demo", "MODEL_BASE_URL": server.base_url, "AGENTSITE_LOG_LEVEL": "WARNING"}
        try:
            with running_site(STATE, environment) as site:
                yield site, server
        finally:
            server.close()
            model.terminate()


def show(name: str, measured: Measured, *, targets: str) -> None:
    print(
        f"{name:28} wall {measured.wall:8.0f} ms   gap p50 {measured.gap_p50:6.1f} ms   p95 {measured.gap_p95:6.1f} ms"
    )
    print(f"{'':28} {measured.calls_per_second:6.1f} calls/s   (targets: {targets})")


def show_viewers(viewers: int, watched: Watched) -> None:
    print(
        f"{viewers:3} viewers, 20 pieces/s      late p50 {watched.late_p50:6.1f} ms   p95 {watched.late_p95:6.1f} ms   "
        f"web {watched.core:4.0%} of a core   {watched.frames} frames   (targets for 100: p95 <= 100 ms, 40 %)"
    )


def main() -> int:
    parts = sys.argv[1:] or ["permissions", *SANDBOX_PARTS, "steps", "viewers"]
    if "permissions" in parts:
        measure_permissions()
        print()
    missed = False
    for name, measure in SANDBOX_PARTS.items():
        if name in parts:
            missed = not measure() or missed
            print()
    if "steps" in parts:
        with bench_site() as (site, server), ApiClient(site.address) as client:
            show("one session, 21 calls", measure_one(client, server), targets="gap p50 <= 30 ms, p95 <= 80 ms")
            show(f"{SESSIONS} sessions at once", measure_many(client, server), targets=">= 40 calls/s")
            print("\nresident memory, MiB")
            for name, size in site.memory().items():
                print(f"  {name:10} {size:6.0f}")
    if "viewers" in parts:
        with bench_site() as (site, server), ApiClient(site.address) as client:
            for viewers in (1, 100):
                watched = measure_viewers(site, client, server, viewers=viewers)
                show_viewers(viewers, watched)
    return int(missed)


if __name__ == "__main__":
    os.environ.setdefault("AGENTSITE_ROLE", "manage")
    sys.exit(main())
