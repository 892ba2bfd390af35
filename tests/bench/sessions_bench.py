"""Measure the tool calls per second of a site with many sessions at once, each in a team of its own.

Each session makes the scripted calls of `steps_bench` in a workspace of its own, while one listener follows it, as a
browser does. The rate should not fall with the number of sessions, and should rise with the number of workers as long
as the machine has idle cores. Its upper limit is the number of cores divided by the CPU time of one call.
"""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from tests.bench.bench_site import BenchSite
from tests.bench.figures import Figure, cpu_figures
from tests.bench.steps_bench import CALLS, STORY, open_ready_session

STARTS_AT_ONCE: Final = 4
SECONDS: Final = 600.0  # for one story


def measure_sessions(bench: BenchSite, *, sessions: int) -> list[Figure]:
    with ThreadPoolExecutor(STARTS_AT_ONCE) as pool:
        ready = list(pool.map(lambda number: _open_session_of_own_team(bench, number), range(sessions)))
    _run_stories(bench, ready[:1])
    before, began = bench.cpu(), time.perf_counter()
    _run_stories(bench, ready)
    wall, calls = time.perf_counter() - began, CALLS * sessions
    used = bench.cpu_since(before)
    return [
        Figure("rate", calls / wall, "calls/s", "wall", target=50, at_least=True),
        Figure("cores in use", sum(used.values()) / wall, "times"),
        *cpu_figures(used, calls=calls, work="a call"),
    ]


def _open_session_of_own_team(bench: BenchSite, number: int) -> str:
    """Open a session in a new team. The first session uses the demo team, because one person may own at most 50
    teams."""
    client = bench.client
    if number == 0:
        return open_ready_session(client, bench.server)
    team = client.post("/api/v1/teams", {"name": f"Bench {number}"})
    project = client.post(f"/api/v1/teams/{team['id']}/projects", {"name": "Bench"})
    session_id = client.site.start_session(project["id"], new_workspace=True).id
    return open_ready_session(client, bench.server, session_id)


def _run_stories(bench: BenchSite, session_ids: Sequence[str]) -> None:
    """Run one turn of the benchmark's scripted story in each session at the same time, and wait for all turns."""
    with ThreadPoolExecutor(len(session_ids)) as pool:
        for turn in pool.map(lambda session_id: _run_story(bench, session_id), session_ids):
            if turn["state"] != "completed":
                raise AssertionError(f"a story ended as {turn['state']}: {turn['error']}")


def _run_story(bench: BenchSite, session_id: str) -> dict[str, object]:
    script = bench.server.script(*STORY, by="conversation")
    turn_id = bench.client.prompt(session_id, f"Work. {script.marker}")
    turn: dict[str, object] = bench.client.wait_for_turn(session_id, turn_id, seconds=SECONDS)
    return turn
