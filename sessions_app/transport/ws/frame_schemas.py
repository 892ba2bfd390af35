"""The JSON Schemas of the frames of all sockets."""

from functools import reduce
from operator import or_
from typing import Any

from pydantic import TypeAdapter

from sessions_app.transport.ws.frames import ME_CLIENT, ME_SERVER, SESSION_CLIENT, SESSION_SERVER
from sessions_app.transport.ws.terminal_frames import TERMINAL_CLIENT, TERMINAL_SERVER


def frame_schema() -> dict[str, Any]:
    """Return the JSON Schemas of the frames of each socket, grouped by sender."""
    return {
        "session": {
            "client": SESSION_CLIENT.json_schema(mode="validation"),
            "server": _any_of(SESSION_SERVER),
        },
        "me": {"client": ME_CLIENT.json_schema(mode="validation"), "server": _any_of(ME_SERVER)},
        "terminal": {
            "client": TERMINAL_CLIENT.json_schema(mode="validation"),
            "server": _any_of(TERMINAL_SERVER),
        },
    }


def _any_of(frames: list[Any]) -> dict[str, Any]:
    return TypeAdapter(reduce(or_, frames)).json_schema(mode="serialization")
