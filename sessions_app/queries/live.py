"""How other processes ask a workspace or a node something: over the node's queue, answered on a private channel."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final

from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from redis.exceptions import RedisError

from agentsite.base.error_codes import ErrorCode, code_of
from agentsite.base.errors import Missing, Unavailable
from agentsite.tenancy.person_updates import CHANGED, person_group
from sessions_app.models import Workspace
from sessions_app.queries.questions import NodeQuestion, WorkspaceQuestion
from sessions_app.queueing import enqueue_node_query, enqueue_workspace_query

WORKSPACE_TIMEOUT: Final = 15.0  # seconds; a stopped container needs a quarter of one to start
NODE_TIMEOUT: Final = 90.0  # seconds; a reaper may have much to remove
BUSY: Final = "Its node may be busy or down. Nothing is lost; try again in a few seconds."
QUICK_TIMEOUT: Final = 4.0  # seconds for what a page shows beside other things, and asks again


async def query_workspace(
    workspace: Workspace, question: WorkspaceQuestion, *, person: Any, patience: float = WORKSPACE_TIMEOUT
) -> Any:
    """The answer's data, for a person. Raises Unavailable when nobody answers in time, or the sandbox cannot; Missing
    as soon as the person may not see the workspace any more."""
    enqueue = partial(
        enqueue_workspace_query, workspace.id, node=workspace.node, question=question.model_dump(mode="json")
    )
    still = partial(_require_sight, workspace, person)
    silence = "The workspace did not answer in time."
    answer = await send_query(enqueue, patience, silence, ErrorCode.WORKSPACE_SILENT, person=person, still=still)
    await sync_to_async(still)()
    return answer


def _require_sight(workspace: Workspace, person: Any) -> None:
    if not Workspace.objects.visible_to(person).filter(pk=workspace.pk).exists():
        raise Missing("This workspace is not there any more, or you are not in its team.")


async def query_node(node: str, question: NodeQuestion) -> Any:
    """The same, of the sandbox worker of a Docker host."""
    enqueue = partial(enqueue_node_query, node, question=question.model_dump(mode="json"))
    return await send_query(enqueue, NODE_TIMEOUT, f"The node '{node}' did not answer in time.", ErrorCode.NODE_SILENT)


async def send_query(
    enqueue: Callable[..., None],
    patience: float,
    silence: str,
    code: ErrorCode,
    *,
    hint: str = BUSY,
    person: Any = None,
    still: Callable[[], None] | None = None,
) -> Any:
    """Have a question sent, with a private channel to answer it on. `silence` and `hint` are for when nobody does.
    `still` is asked whenever something about the person changes while one waits."""
    layer = get_channel_layer()
    reply_to = await layer.new_channel()
    try:
        if person is not None:
            await layer.group_add(person_group(person.pk), reply_to)
        await sync_to_async(enqueue, thread_sensitive=False)(reply_to=reply_to)
        async with asyncio.timeout(patience):
            answer = await layer.receive(reply_to)
            while still is not None and answer.get("type") == CHANGED["type"]:
                await sync_to_async(still)()
                answer = await layer.receive(reply_to)
    except (OSError, RedisError) as error:
        raise Unavailable(silence, code=code, hint=hint) from error
    finally:
        if person is not None:
            with suppress(OSError, RedisError):
                await layer.group_discard(person_group(person.pk), reply_to)
    if "error" in answer:
        raise Unavailable(answer["error"]["message"], code=code_of(answer["error"]["code"]))
    return answer["ok"]
