"""Measure viewers: one session that streams 20 pieces of text per second, watched over many sockets.

The delay of a piece at a viewer is the time from its first arrival at any viewer to its arrival at this viewer. The CPU
figure is the web server's CPU time during the stream, as a share of one core.
"""

import asyncio
import json
import os
import statistics
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from websockets.asyncio.client import ClientConnection, connect

from tests.bench.steps_bench import open_ready_session
from tests.support.api_client import ApiClient
from tests.support.model_server import ModelServer, text
from tests.support.running_site import RunningSite

PIECES: Final = 200
DELAY: Final = 0.05  # seconds between two pieces
TICKS: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Watched:
    """Figures of one run: delays `late_p50` and `late_p95` in milliseconds; `core` as the used share of one core;
    `frames` that arrived; `frame_cpu`, the CPU time of the web server for each frame, in milliseconds."""

    late_p50: float
    late_p95: float
    core: float
    frames: int
    frame_cpu: float


def measure_viewers(site: RunningSite, client: ApiClient, server: ModelServer, *, viewers: int) -> Watched:
    session_id = open_ready_session(client, server)
    tickets = [client.post("/api/v1/socket-tickets")["ticket"] for _ in range(viewers)]
    path = f"{site.address.replace('http', 'ws', 1)}/ws/sessions/{session_id}"
    return asyncio.run(_watch(site, client, server, session_id, [f"{path}?ticket={each}" for each in tickets]))


async def _watch(
    site: RunningSite, client: ApiClient, server: ModelServer, session_id: str, addresses: list[str]
) -> Watched:
    arrivals: dict[int, list[float]] = defaultdict(list)
    sockets = [await connect(address, max_size=None, proxy=None) for address in addresses]
    readers = []
    for socket in sockets:
        await socket.send(json.dumps({"id": 1, "type": "hello"}))
        while json.loads(await socket.recv())["type"] != "ack":
            pass
        readers.append(asyncio.create_task(_read(socket, arrivals)))
    story = server.script(text("word " * PIECES, chunk_size=len("word "), chunk_delay=DELAY), by="conversation")
    began, used = time.monotonic(), web_cpu_seconds(site)
    await asyncio.to_thread(client.prompt, session_id, f"Talk. {story.marker}")
    await asyncio.wait_for(asyncio.gather(*readers), timeout=60)
    wall, used = time.monotonic() - began, web_cpu_seconds(site) - used
    for socket in sockets:
        await socket.close()
    late = [(each - min(found)) * 1000 for found in arrivals.values() for each in found]
    p50, p95 = statistics.median(late), statistics.quantiles(late, n=20)[18]
    return Watched(p50, p95, core=used / wall, frames=len(late), frame_cpu=used / len(late) * 1000)


async def _read(socket: ClientConnection, arrivals: dict[int, list[float]]) -> None:
    """Record the arrival time of each piece of text, until the turn has ended."""
    async for message in socket:
        frame = json.loads(message)
        if frame["type"] == "delta":
            arrivals[frame["offset"]].append(time.monotonic())
        if frame["type"] == "event" and frame["event_type"] == "turn.updated" and frame["data"]["ended_at"]:
            return


def web_cpu_seconds(site: RunningSite) -> float:
    """Return the CPU seconds of the web server so far."""
    pid = site.pid_of("web")
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS
