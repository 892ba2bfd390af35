"""What operators may want to draw: counters and times, kept in files that all processes of a machine share.

Each process writes its own file below the run directory; whoever is asked (the web tier, or a sandbox worker with an
address of its own for that) adds them all up. A number that a process wrote outlives it until the site is started
anew. Times are seconds. The names are part of the interface, see docs/operations.md.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from django.conf import settings

METRICS_DIR: Final[Path] = settings.RUN_DIR / "metrics"
METRICS_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(METRICS_DIR))  # read by the library when it is imported

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_QUICK: Final = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 1, 2, 5, 10, 30)
_CALLS: Final = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 30, 120, 600)

_KILLED: Final = ("timeout", "aborted", "flooded")

SANDBOX_UP: Final = Histogram(
    "agentsite_sandbox_up_seconds",
    "Until a sandbox that did not run answered: created, or started again.",
    ["how"],
    buckets=_QUICK,
)
SANDBOX_FAILURES: Final = Counter("agentsite_sandbox_failures", "Sandboxes that could not be brought up.", ["code"])
SANDBOX_LOST: Final = Counter("agentsite_sandbox_lost", "Sandboxes that ended under a running call.")
TOOL_CALLS: Final = Histogram(
    "agentsite_tool_call_seconds", "From taking a tool call to its end.", ["tool", "outcome"], buckets=_CALLS
)
KILLS: Final = Counter("agentsite_command_kills", "Commands that were ended by us, by reason.", ["reason"])
LIMITS_HIT: Final = Counter("agentsite_limits_hit", "Limits of workspaces that were met.", ["limit"])
REAPED: Final = Counter("agentsite_reaped", "Leftovers that the reaper removed.", ["kind"])


def count_kill(end: object) -> None:
    """Of a command that ended so; one that ended by itself is not counted."""
    if end in _KILLED:
        KILLS.labels(end).inc()


def exposition(*extra: CollectorRegistry) -> bytes:
    """Return the metrics of all processes of this machine and of the `extra` registries in Prometheus text format."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(METRICS_DIR))  # type: ignore[no-untyped-call]
    return b"".join(generate_latest(each) for each in (registry, *extra))


def serve(address: str) -> None:
    """On a node without a web tier: answer `http://<host>:<port>/metrics` from a thread of its own."""
    host, _, port = address.rpartition(":")
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(METRICS_DIR))  # type: ignore[no-untyped-call]
    start_http_server(int(port), addr=host or "127.0.0.1", registry=registry)


def delete_stale_metrics() -> None:
    """At a site's start: what processes that are no more had counted. Readers take it for a counter that began anew."""
    for file in METRICS_DIR.glob("*.db"):
        pid = file.stem.rpartition("_")[2]
        if pid.isdigit() and not Path("/proc", pid).exists():
            with suppress(FileNotFoundError):
                file.unlink()
