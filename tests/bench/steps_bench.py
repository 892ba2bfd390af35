"""Measure the site's own work between model calls: in a chain of steps, and in one step with many calls.

The model is scripted and answers at once, so the site needs nearly all the time that passes. A gap is the time from the
end of one model answer to the arrival of the next request: finishing the step, the queue, the tool call in the
container, the queue again, and starting the next step.
"""

import statistics
import time
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from deploy.demo_model.scripts import Step
from tests.bench.bench_site import BenchSite
from tests.bench.figures import Figure, cpu_figures
from tests.bench.measuring import percentile
from tests.support.api_client import ApiClient
from tests.support.model_server import ModelServer, calls, text, tool_call

READS: Final = 20
LINES: Final = "".join(f"line {number} of a file that is read\n" for number in range(1, 201))


def _story() -> list[Step]:
    """Return 20 steps of one call each, 4 x (read, glob, grep, edit, bash true), and an answer."""
    steps = [calls(tool_call("write", filePath="bench.txt", content=LINES + "count 0\n"))]
    for number in range(4):
        steps += [
            calls(tool_call("read", filePath="bench.txt")),
            calls(tool_call("glob", pattern="**/*.py")),
            calls(tool_call("grep", pattern="def ", include="*.py")),
            calls(
                tool_call("edit", filePath="bench.txt", oldString=f"count {number}", newString=f"count {number + 1}")
            ),
            calls(tool_call("bash", command="true")),
        ]
    return [*steps, text("Done.")]


STORY: Final = tuple(_story())
CALLS: Final = len(STORY) - 1


def open_ready_session(client: ApiClient, server: ModelServer, session_id: str = "") -> str:
    """Start the container of a session's workspace, and return the session's id. Without `session_id`, open a session
    of the demo project in a fresh workspace."""
    session_id = session_id or client.open_session()
    script = server.script(calls(tool_call("bash", command="true")), text("Ready."), by="conversation")
    turn_id = client.prompt(session_id, f"Get ready. {script.marker}")
    turn = client.wait_for_turn(session_id, turn_id)
    if turn["state"] != "completed":
        raise AssertionError(f"getting ready ended as {turn['state']}: {turn['error']}")
    return session_id


def run_story(
    client: ApiClient, server: ModelServer, session_id: str, steps: Sequence[Step] = STORY
) -> tuple[float, list[float]]:
    """Run one turn of the story; return the seconds of the turn, and the seconds between successive model calls."""
    script = server.script(*steps, by="conversation")
    start = time.perf_counter()
    turn_id = client.prompt(session_id, f"Work. {script.marker}")
    entries = script.times(at_least=len(steps), timeout=120)
    wall = time.perf_counter() - start
    turn = client.wait_for_turn(session_id, turn_id)
    if turn["state"] != "completed":
        raise AssertionError(f"the story ended as {turn['state']}: {turn['error']}")
    return wall, [later["opened_at"] - earlier["ended_at"] for earlier, later in pairwise(entries)]


def measure_steps(bench: BenchSite, *, rounds: int = 3) -> list[Figure]:
    """Measure one session that makes 21 calls, one in each step."""
    session_id = open_ready_session(bench.client, bench.server)
    run_story(bench.client, bench.server, session_id)
    before = bench.cpu()
    walls, gaps = [], list[float]()
    for _ in range(rounds):
        wall, gaps_of_turn = run_story(bench.client, bench.server, session_id)
        walls.append(wall)
        gaps += gaps_of_turn
    return [
        Figure("gap between two model calls, p50", percentile(gaps, 50), "ms", "wall", target=25),
        Figure("gap between two model calls, p95", percentile(gaps, 95), "ms", "wall", target=50),
        Figure(f"{CALLS} calls, one in each step", statistics.median(walls) * 1000, "ms", "wall"),
        *cpu_figures(bench.cpu_since(before), calls=rounds * CALLS, work="a step"),
    ]


def measure_reads(bench: BenchSite, *, rounds: int = 10) -> list[Figure]:
    """Measure one step with 20 calls of the tool `read`: the time from the model's answer with the calls to the next
    model request."""
    session_id = open_ready_session(bench.client, bench.server)
    write = calls(tool_call("write", filePath="bench.txt", content=LINES))
    reads = calls(*(tool_call("read", filePath="bench.txt", offset=number) for number in range(1, READS + 1)))
    steps = (write, reads, text("Done."))
    run_story(bench.client, bench.server, session_id, steps)
    before = bench.cpu()
    gaps = [run_story(bench.client, bench.server, session_id, steps)[1][1] for _ in range(rounds)]
    used = bench.cpu_since(before)
    return [
        Figure(f"{READS} reads in one step", percentile(gaps, 50), "ms", "wall", target=250),
        *cpu_figures(used, calls=rounds, work=f"{READS} reads and two more steps"),
    ]
