"""Measure event streams: one session whose title changes 20 times a second, followed over many streams.

The CPU time of the web server includes the requests that change the title. The measurement without any stream shows the
cost of these requests alone. Meanwhile `GET /me` is requested four times a second.
"""

import asyncio
import statistics
import time
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import httpx

from tests.bench.viewers_bench import web_cpu_seconds
from tests.support.api_client import ApiClient
from tests.support.running_site import RunningSite

CHANGES: Final = 160
DELAY: Final = 0.05  # seconds between two changes
ME_DELAY: Final = 0.25  # seconds between two requests for /me


@dataclass(frozen=True, slots=True)
class Streamed:
    """Figures of one run. `event_cpu` is the CPU time of the web server for each change, including its request, in
    milliseconds; `me_p50` and `me_p95` are the times of `GET /me` in milliseconds; `events` counts the events that
    arrived."""

    event_cpu: float
    me_p50: float
    me_p95: float
    events: int


def measure_streams(site: RunningSite, client: ApiClient, *, streams: int) -> Streamed:
    return asyncio.run(_measure(site, client, client.open_session(), streams))


async def _measure(site: RunningSite, client: ApiClient, session_id: str, streams: int) -> Streamed:
    headers = {"Authorization": client.http.headers["Authorization"]}
    followed = [await _open(site, f"/api/v1/sessions/{session_id}/events", headers) for _ in range(streams)]
    counts = [asyncio.create_task(_count(reader)) for reader, _ in followed]
    async with httpx.AsyncClient(base_url=site.address, headers=headers, timeout=60, trust_env=False) as http:
        asking = asyncio.create_task(_ask_for_me(http))
        began, used = time.monotonic(), web_cpu_seconds(site)
        for number in range(CHANGES):
            await http.patch(f"/api/v1/sessions/{session_id}", json={"title": f"Title {number}"})
            await asyncio.sleep(max(0.0, began + (number + 1) * DELAY - time.monotonic()))
        used = web_cpu_seconds(site) - used
        asking.cancel()
        times = await asyncio.gather(asking)
    for _, writer in followed:
        writer.close()
    me = [each * 1000 for each in times[0]]
    events = sum(await asyncio.gather(*counts))
    return Streamed(used / CHANGES * 1000, statistics.median(me), statistics.quantiles(me, n=20)[18], events)


async def _open(
    site: RunningSite, path: str, headers: dict[str, str]
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open a stream with as little work for this process as possible, and wait until it has begun."""
    place = urlsplit(site.address)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    lines = [f"GET {path} HTTP/1.1", f"Host: {place.netloc}", *(f"{name}: {text}" for name, text in headers.items())]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    await reader.readuntil(b": hello")
    return reader, writer


async def _count(reader: asyncio.StreamReader) -> int:
    """Count the events that arrive until the connection is closed."""
    count = 0
    try:
        while data := await reader.read(65_536):
            count += data.count(b"event: session.updated")
    except OSError:
        pass
    return count


async def _ask_for_me(http: httpx.AsyncClient) -> list[float]:
    """Request `/me` repeatedly until cancelled; return the seconds that each request took."""
    times: list[float] = []
    try:
        while True:
            began = time.monotonic()
            (await http.get("/api/v1/me")).raise_for_status()
            times.append(time.monotonic() - began)
            await asyncio.sleep(ME_DELAY)
    except asyncio.CancelledError:
        return times
