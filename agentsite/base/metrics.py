"""Prometheus metrics, stored in files that all processes of a machine share.

Each process writes its own file below the run directory. The web tier, or a sandbox worker with a metrics address, adds
up all files when it is scraped. The numbers of a process that has ended are kept until the site restarts. Durations are
in seconds. The metric names are part of the public interface, see docs/operations.md.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from django.conf import settings

METRICS_DIR: Final[Path] = settings.RUN_DIR / "metrics"
METRICS_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(METRICS_DIR)  # a parent's may be another site's

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector

from agentsite.base.metric_files import use_written_files

use_written_files()

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_STARTUP_BUCKETS: Final = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 1, 2, 5, 10, 30)  # seconds
_TOOL_CALL_BUCKETS: Final = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 30, 120, 600)  # seconds

KILL_REASONS: Final = ("timeout", "aborted", "flooded")

SANDBOX_UP: Final = Histogram(
    "agentsite_sandbox_up_seconds",
    "Time until a stopped or new sandbox answered, by whether it was created or started again.",
    ["how"],
    buckets=_STARTUP_BUCKETS,
)
SANDBOX_FAILURES: Final = Counter(
    "agentsite_sandbox_failures", "Sandboxes that could not be started, by error code.", ["code"]
)
SANDBOX_LOST: Final = Counter("agentsite_sandbox_lost", "Sandboxes that died during a tool call.")
TOOL_CALLS: Final = Histogram(
    "agentsite_tool_call_seconds",
    "Duration of a tool call, from the time a worker acquired it.",
    ["tool", "outcome"],
    buckets=_TOOL_CALL_BUCKETS,
)
KILLS: Final = Counter("agentsite_command_kills", "Commands that the site killed, by reason.", ["reason"])
LIMITS_HIT: Final = Counter("agentsite_limits_hit", "Workspace limits that were reached.", ["limit"])
DOOR_BYTES: Final = Counter("agentsite_door_bytes", "Bytes that workspaces received and sent.", ["direction"])
DOOR_CONNECTIONS: Final = Counter(
    "agentsite_door_connections", "Connections of workspaces to the door, by whether it refused them.", ["outcome"]
)
REAPED: Final = Counter("agentsite_reaped", "Leftover resources that housekeeping removed, by kind.", ["kind"])


def exposition(*extra: CollectorRegistry) -> bytes:
    """Return the metrics of all processes of this machine and of the `extra` registries in Prometheus text format."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(METRICS_DIR))  # type: ignore[no-untyped-call]
    return b"".join(generate_latest(each) for each in (registry, *extra))


def serve(address: str) -> None:
    """Serve `http://<host>:<port>/metrics` from a thread, for nodes without a web tier."""
    host, _, port = address.rpartition(":")
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(METRICS_DIR))  # type: ignore[no-untyped-call]
    start_http_server(int(port), addr=host or "127.0.0.1", registry=registry)


def delete_stale_metrics() -> None:
    """Delete the metric files of processes that have ended. Called at startup; Prometheus sees a counter reset."""
    for file in METRICS_DIR.glob("*.db"):
        pid = file.stem.rpartition("_")[2]
        if pid.isdigit() and not Path("/proc", pid).exists():
            with suppress(FileNotFoundError):
                file.unlink()
