"""request_body(): yield the body of a program's request and count its bytes."""

from collections.abc import AsyncIterator
from typing import Any

import h11

from tools_app.network.client import Client, next_event
from tools_app.network.relay import Meter


async def request_body(client: Client, meter: Meter) -> AsyncIterator[bytes]:
    """Yield the body of a program's request, and count its bytes."""
    while True:
        if client.http.they_are_waiting_for_100_continue:
            await client.send(h11.InformationalResponse(status_code=100, headers=[]))
        event: Any = await next_event(client.http, client.reader)
        if not isinstance(event, h11.Data):
            return
        await meter.send(len(event.data))
        yield bytes(event.data)
