"""Measure the opening of a long session: the first frame of a session with 10,000 parts, as the interface requests
it."""

import json
import statistics
import time
from dataclasses import dataclass
from typing import Final

from tests.support.api_client import ApiClient
from tests.support.running_site import RunningSite, cpu_seconds
from tests.support.site_shell import fill_session_of

TURNS: Final = 100
STEPS: Final = 49  # of each turn; with its prompt and last answer, a turn has 100 parts
FIRST_MESSAGES: Final = 50  # as in frontend/src/store/session.ts
TIMES: Final = 20


@dataclass(frozen=True, slots=True)
class Reloaded:
    """The measurements of a reload: `wall_ms` is the median time from `hello` to the snapshot, `cpu_ms` the mean CPU
    time of the web server for one snapshot, and `size` the snapshot's bytes on the wire."""

    wall_ms: float
    cpu_ms: float
    size: int


def measure_reload(site: RunningSite, client: ApiClient) -> Reloaded:
    session_id = client.open_session()
    fill_session_of(site, session_id, turns=TURNS, steps=STEPS)
    _read_snapshot(client, session_id)  # the first one builds what the process keeps
    before = _cpu_of_web(site)
    found = [_read_snapshot(client, session_id) for _ in range(TIMES)]
    cpu = (_cpu_of_web(site) - before) / TIMES
    return Reloaded(statistics.median(wall for wall, _ in found) * 1000, cpu * 1000, found[0][1])


def _read_snapshot(client: ApiClient, session_id: str) -> tuple[float, int]:
    """Return the seconds until the snapshot arrived, and its size in bytes."""
    with client.socket(session_id) as socket:
        began = time.perf_counter()
        socket.send(json.dumps({"id": 1, "type": "hello", "after": None, "limit": FIRST_MESSAGES}))
        text = socket.recv()
        return time.perf_counter() - began, len(text)


def _cpu_of_web(site: RunningSite) -> float:
    pid = site.pid_of("web")
    return 0.0 if pid is None else cpu_seconds(pid)
