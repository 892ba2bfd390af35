"""The rows of the benchmark by name. Some rows start a site of their own; the others measure a component without a
site."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from tests.bench import (
    door_bench,
    lifecycle_bench,
    many_files_bench,
    mentions_bench,
    neighbours_bench,
    permission_bench,
    runner_bench,
    snapshot_bench,
    throughput_bench,
)
from tests.bench.bench_site import BenchSite, Database, bench_site
from tests.bench.figures import Figure
from tests.bench.first_token_bench import measure_first_token
from tests.bench.growth_bench import measure_growth
from tests.bench.reload_bench import measure_reload
from tests.bench.review_bench import measure_review
from tests.bench.scrolling_bench import measure_scrolling
from tests.bench.sessions_bench import measure_sessions
from tests.bench.start_bench import measure_start
from tests.bench.steps_bench import measure_reads, measure_steps
from tests.bench.streams_bench import measure_streams
from tests.bench.viewers_bench import measure_viewers
from tests.support.more_workers import more_workers

EVENTS_A_SECOND: Final = 20
SiteRow = Callable[[Path], list[Figure]]


def _on_site(measure: Callable[[BenchSite], list[Figure]], database: Database = "sqlite") -> SiteRow:
    """Return a benchmark row whose figures `measure` takes from a fresh site."""

    def row(source: Path) -> list[Figure]:
        with bench_site(database, source=source) as bench:
            return measure(bench)

    return row


def _measure_viewers(bench: BenchSite) -> list[Figure]:
    figures = []
    for viewers in (1, 10, 50, 100):
        watched = measure_viewers(bench.site, bench.client, bench.server, viewers=viewers)
        name = f"{viewers} viewer{'s' * (viewers > 1)}, 20 pieces of text a second"
        figures += [
            Figure(f"{name}: late, p50", watched.late_p50, "ms", "wall"),
            Figure(f"{name}: late, p95", watched.late_p95, "ms", "wall", target=100),
            Figure(f"{name}: web server", 100 * watched.core, "% of a core", target=40),
            Figure(f"{name}: web server, CPU of a frame", watched.frame_cpu, "ms"),
        ]
    return figures


def _measure_streams(bench: BenchSite) -> list[Figure]:
    figures = []
    alone = 0.0  # milliseconds of CPU
    for streams in (0, 10, 50, 100):
        streamed = measure_streams(bench.site, bench.client, streams=streams)
        alone = alone or streamed.event_cpu
        name = f"{streams} event streams, 20 events a second"
        figures += [
            Figure(f"{name}: web server, CPU of an event", streamed.event_cpu, "ms", "cpu"),
            Figure(f"{name}: GET /me, p50", streamed.me_p50, "ms", "wall"),
            Figure(f"{name}: GET /me, p95", streamed.me_p95, "ms", "wall"),
        ]
        if streams:
            share = (streamed.event_cpu - alone) * EVENTS_A_SECOND / 10
            figures.append(Figure(f"{name}: web server for the streams", share, "% of a core", target=40))
    return figures


def _measure_reload(bench: BenchSite) -> list[Figure]:
    reloaded = measure_reload(bench.site, bench.client)
    return [
        Figure("first screen of 10,000 parts", reloaded.wall_ms, "ms", "wall", target=300),
        Figure("first screen of 10,000 parts: CPU of the web server", reloaded.cpu_ms, "ms", "cpu"),
        Figure("first screen of 10,000 parts: size", reloaded.size / 1000, "kB", target=500),
    ]


def _sessions(sessions: int, *, database: Database = "sqlite", workers: int = 1) -> SiteRow:
    """Return the row of the sessions benchmark for this number of sessions, agent workers and sandbox workers."""

    def measure(bench: BenchSite) -> list[Figure]:
        with more_workers(bench.site, agents=workers - 1, sandboxes=workers - 1):
            return measure_sessions(bench, sessions=sessions)

    return _on_site(measure, database)


def _measure_permissions() -> bool:
    permission_bench.main()
    return True


COMPONENTS: Final[Mapping[str, Callable[[], bool]]] = {
    "permissions": _measure_permissions,
    "runner": runner_bench.main,
    "snapshots": snapshot_bench.main,
    "many-files": many_files_bench.main,
    "mentions": mentions_bench.main,
    "lifecycle": lifecycle_bench.main,
    "throughput": throughput_bench.main,
    "neighbours": neighbours_bench.main,
    "door": door_bench.main,
}
SITE_ROWS: Final[Mapping[str, SiteRow]] = {
    "steps": _on_site(measure_steps),
    "steps-postgres": _on_site(measure_steps, "postgres"),
    "reads": _on_site(measure_reads),
    "first-token": _on_site(measure_first_token),
    "viewers": _on_site(_measure_viewers),
    "streams": _on_site(_measure_streams),
    "reload": _on_site(_measure_reload),
    "review": _on_site(measure_review),
    "scrolling": _on_site(measure_scrolling),
    "start": measure_start,
    "growth": _on_site(measure_growth),
    **{f"sessions-{count}": _sessions(count) for count in (10, 50)},
    **{f"sessions-{count}-postgres": _sessions(count, database="postgres") for count in (10, 50)},
    **{f"sessions-{count}-postgres-2-workers": _sessions(count, database="postgres", workers=2) for count in (10, 50)},
}
