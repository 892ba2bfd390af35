"""How the web tier asks a workspace something: over the node's queue, answered on a private channel."""

import asyncio
from typing import Any, Final

from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from redis.exceptions import RedisError

from agentsite.errors import Unavailable
from sessions_app.models import Workspace
from sessions_app.queueing import enqueue_workspace_query

PATIENCE: Final = 15.0  # seconds; a stopped container needs a quarter of one to start


async def ask_workspace(workspace: Workspace, question: dict[str, Any]) -> Any:
    """The answer's data. Raises Unavailable when nobody answers in time, or the sandbox cannot."""
    layer = get_channel_layer()
    try:
        reply_to = await layer.new_channel()
        enqueue = sync_to_async(enqueue_workspace_query, thread_sensitive=False)
        await enqueue(workspace.id, node=workspace.node, question=question, reply_to=reply_to)
        async with asyncio.timeout(PATIENCE):
            answer = await layer.receive(reply_to)
    except (OSError, RedisError) as error:
        raise Unavailable(
            "The workspace did not answer in time.",
            code="workspace_silent",
            hint="Its node may be busy or down. Nothing is lost; try again in a few seconds.",
        ) from error
    if "error" in answer:
        raise Unavailable(answer["error"]["message"], code=answer["error"]["code"])
    return answer["ok"]
