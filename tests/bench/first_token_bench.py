"""Measure the time that the first token of an answer takes from the model to a browser.

The time begins when the model has written the first chunk with text to its connection, and ends when the frame that
carries this text arrives at a session's socket. The model then holds its answer, so that the text can only come as a
delta.
"""

import json
import time
from collections.abc import Iterator
from typing import Any, Final

from websockets.sync.client import ClientConnection

from tests.bench.bench_site import BenchSite
from tests.bench.figures import Figure
from tests.bench.measuring import percentile
from tests.bench.steps_bench import open_ready_session
from tests.support.model_server import text

TURNS: Final = 20
WORDS: Final = "first and then the rest"


def measure_first_token(bench: BenchSite) -> list[Figure]:
    session_id = open_ready_session(bench.client, bench.server)
    with bench.client.socket(session_id) as socket:
        socket.send(json.dumps({"id": 1, "type": "hello"}))
        seconds = [_first_token(bench, session_id, socket) for _ in range(TURNS)]
    return [
        Figure("first token from model to browser, p50", percentile(seconds, 50), "ms", "wall"),
        Figure("first token from model to browser, p95", percentile(seconds, 95), "ms", "wall"),
    ]


def _first_token(bench: BenchSite, session_id: str, socket: ClientConnection) -> float:
    release = f"bench-{time.monotonic_ns()}"
    step = text(WORDS, chunk_size=len("first"), hold=release, hold_after=1)
    script = bench.server.script(step, by="conversation")
    bench.client.prompt(session_id, f"Talk. {script.marker}")
    next(frame for frame in _frames(socket) if frame["type"] == "delta")
    arrived = time.monotonic()
    (request,) = script.requests(at_least=1, state="held")
    script.release(release)
    next(frame for frame in _frames(socket) if _ends_turn(frame))
    return arrived - float(request["held_at"])


def _frames(socket: ClientConnection) -> Iterator[dict[str, Any]]:
    while True:
        frame: dict[str, Any] = json.loads(socket.recv(timeout=30))
        yield frame


def _ends_turn(frame: dict[str, Any]) -> bool:
    return frame["type"] == "event" and frame["event_type"] == "turn.updated" and bool(frame["data"]["ended_at"])
