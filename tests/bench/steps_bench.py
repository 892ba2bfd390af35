"""What our own work costs between model calls, and how many tool calls a site makes in a second.

The model is scripted and answers at once, so nearly all the time that passes is ours. A gap is the time from the end of
one model answer to the arrival of the next request: finishing the step, the queue, the tool call in the container, the
queue again, and starting the next step.
"""

import statistics
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

from deploy.demo_model.scripts import Step
from tests.support.api_client import ApiClient
from tests.support.model_server import ModelServer, calls, text, tool_call

SESSIONS = 10
LINES = "".join(f"line {number} of a file that is read\n" for number in range(1, 201))


@dataclass(frozen=True, slots=True)
class Measured:
    """Milliseconds; `calls_per_second` counts tool calls."""

    wall: float
    gap_p50: float
    gap_p95: float
    calls_per_second: float


def story() -> list[Step]:
    """20 steps of one call each: 4 x (read, glob, grep, edit, bash true), then an answer."""
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


def open_ready_session(client: ApiClient, server: ModelServer) -> str:
    """A session in a fresh workspace whose container runs."""
    session_id = client.open_session()
    script = server.script(calls(tool_call("bash", command="true")), text("Ready."), by="conversation")
    turn_id = client.prompt(session_id, f"Get ready. {script.marker}")
    turn = client.wait_for_turn(session_id, turn_id)
    if turn["state"] != "completed":
        raise AssertionError(f"getting ready ended as {turn['state']}: {turn['error']}")
    return session_id


def run_story(client: ApiClient, server: ModelServer, session_id: str) -> tuple[float, list[float]]:
    """Seconds of one turn of the story, and its gaps in milliseconds."""
    script = server.script(*story(), by="conversation")
    start = time.perf_counter()
    turn_id = client.prompt(session_id, f"Work. {script.marker}")
    entries = script.times(at_least=len(story()), timeout=120)
    wall = time.perf_counter() - start
    turn = client.wait_for_turn(session_id, turn_id)
    if turn["state"] != "completed":
        raise AssertionError(f"the story ended as {turn['state']}: {turn['error']}")
    return wall, [(later["opened_at"] - earlier["ended_at"]) * 1000 for earlier, later in pairwise(entries)]


def measure_one(client: ApiClient, server: ModelServer, *, rounds: int = 3) -> Measured:
    session_id = open_ready_session(client, server)
    run_story(client, server, session_id)
    walls, all_gaps = [], []
    for _ in range(rounds):
        wall, gaps = run_story(client, server, session_id)
        walls.append(wall)
        all_gaps += gaps
    return _measured(statistics.median(walls), all_gaps, count=len(story()) - 1)


def measure_many(client: ApiClient, server: ModelServer) -> Measured:
    """The story in ten sessions at once, each in a workspace of its own."""
    sessions = [open_ready_session(client, server) for _ in range(SESSIONS)]
    start = time.perf_counter()
    with ThreadPoolExecutor(SESSIONS) as pool:
        done = list(pool.map(lambda session_id: run_story(client, server, session_id), sessions))
    wall = time.perf_counter() - start
    all_gaps = [gap for _, gaps in done for gap in gaps]
    return _measured(wall, all_gaps, count=SESSIONS * (len(story()) - 1))


def _measured(wall: float, all_gaps: Sequence[float], *, count: int) -> Measured:
    cuts = statistics.quantiles(all_gaps, n=20)
    return Measured(wall * 1000, statistics.median(all_gaps), cuts[18], count / wall)
