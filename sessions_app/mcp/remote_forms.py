"""Forms with which remote MCP servers ask people for input during a call. The door sends the form to the process that
waits for the call, and that process asks people of the session."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import Any, Final

from asgiref.sync import sync_to_async
from django.core.cache import cache
from redis.exceptions import RedisError

from tools_app.mcp.forms import CANCELLED, PEOPLE_SECONDS, Ask, Form, FormReply

POLL_SECONDS: Final = 1.0
REPLY_TTL: Final = 60  # seconds


def _key(question_id: str, number: int) -> str:
    return f"mcp-form:{question_id}:{number}"


async def reply_to_form(question_id: str, message: Mapping[str, Any], people: Ask) -> None:
    """Show an MCP server's form to people, and store the people's reply for the door. `message` comes from the door:
    {number, form}."""
    reply = await people(Form.from_dict(message["form"]))
    with suppress(OSError, RedisError):
        await cache.aset(_key(question_id, message["number"]), asdict(reply), REPLY_TTL)


async def wait_for_reply(question_id: str, number: int) -> FormReply:
    """Wait, in the door process, for people's reply to a form, and return it."""
    loop = asyncio.get_running_loop()
    ends = loop.time() + PEOPLE_SECONDS
    take = sync_to_async(partial(_take, _key(question_id, number)), thread_sensitive=False)
    while loop.time() < ends:
        if (found := await take()) is not None:
            return FormReply(**found)
        await asyncio.sleep(POLL_SECONDS)
    return CANCELLED


def _take(key: str) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] | None = cache.get(key)
        if found is not None:
            cache.delete(key)
    except (OSError, RedisError):
        return None
    return found
