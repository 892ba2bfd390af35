"""Wait for the end of a turn, and report the agent's activity to an MCP client meanwhile."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from agentsite.mcp_server.operations import operation
from agentsite.mcp_server.rest_calls import RestAnswer, RestCaller, RestRequest
from tools_app.mcp.served import Progress

MAX_TITLE: Final = 200  # characters
_MAX_EVENT_BYTES: Final = 4 << 20


async def wait_for_turn(caller: RestCaller, request: RestRequest, turn_id: str, progress: Progress) -> RestAnswer:
    """Send the request that waits for the turn. Until the request is answered, report each tool call that starts in the
    turn's session."""
    state = await caller.call(operation("get_turn").request({"turn_id": turn_id}))
    if state.error is not None or state.body is None or state.body["state"] != "running":
        return await caller.call(request)
    reporting = asyncio.create_task(_report(caller, state.body["events"], progress))
    try:
        return await caller.call(request)
    finally:
        reporting.cancel()
        await asyncio.gather(reporting, return_exceptions=True)


async def _report(caller: RestCaller, address: str, progress: Progress) -> None:
    """Read the event stream at this address until the task is cancelled, and report each tool call that starts as
    progress."""
    done = 0
    await progress(done, "The agent works.")
    seen: set[str] = set()
    async for kind, data in _events(caller, address):
        if kind == "call.updated" and data["state"] == "running" and data["id"] not in seen:
            seen.add(data["id"])
            done += 1
            await progress(done, f"{data['tool']}: {data['title']}"[:MAX_TITLE].rstrip(": "))


async def _events(caller: RestCaller, address: str) -> AsyncIterator[tuple[str, Any]]:
    """Yield the type and the data of each event of a stream."""
    parts = urlsplit(address)
    rest = b""
    async for piece in caller.stream(RestRequest("GET", parts.path, dict(parse_qsl(parts.query)), None)):
        *events, rest = (rest + piece).split(b"\n\n")
        if len(rest) > _MAX_EVENT_BYTES:
            return
        for event in events:
            fields = dict(line.split(b": ", 1) for line in event.split(b"\n") if b": " in line)
            if b"event" in fields and b"data" in fields:
                yield fields[b"event"].decode(), json.loads(fields[b"data"])
