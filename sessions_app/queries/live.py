"""Send queries to the sandbox worker of a workspace or node, and wait for the answer.

A query travels as a Celery task on the node's queue; the answer arrives on a private channel of the channel layer.
"""

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
from agentsite.tenancy.models import User
from agentsite.tenancy.person_updates import CHANGED, person_group
from sessions_app.models import Workspace
from sessions_app.queries.questions import NodeQuestion, WorkspaceQuestion
from sessions_app.queueing import enqueue_node_query, enqueue_workspace_query

WORKSPACE_TIMEOUT: Final = 15.0  # seconds; a stopped container starts within 0.25 s
NODE_TIMEOUT: Final = 90.0  # seconds; housekeeping may have much to remove
BUSY: Final = "Its node may be busy or down. Nothing is lost; try again in a few seconds."
QUICK_TIMEOUT: Final = 4.0  # seconds; for secondary data of a page, which requests it again


async def query_workspace(
    workspace: Workspace, question: WorkspaceQuestion, *, person: User, timeout_seconds: float | None = None
) -> Any:
    """Send a query of a person to the workspace's sandbox worker, and return the answer.

    Raises Unavailable if there is no answer in time or the sandbox fails, and Missing as soon as the person may no
    longer see the workspace.
    """
    enqueue = partial(
        enqueue_workspace_query, workspace.id, node=workspace.node, question=question.model_dump(mode="json")
    )
    still = partial(_require_sight, workspace, person)
    silence = "The workspace did not answer in time."
    seconds = timeout_seconds or WORKSPACE_TIMEOUT
    answer = await send_query(enqueue, seconds, silence, ErrorCode.WORKSPACE_SILENT, person=person, still=still)
    await sync_to_async(still)()
    return answer


def _require_sight(workspace: Workspace, person: User) -> None:
    if not Workspace.objects.visible_to(person).filter(pk=workspace.pk).exists():
        raise Missing("This workspace no longer exists, or you are not in its team.")


async def query_node(node: str, question: NodeQuestion, *, timeout_seconds: float | None = None) -> Any:
    """Send a query to a node's sandbox worker, and return the answer. Raises Unavailable if there is no answer in time
    or it fails."""
    enqueue = partial(enqueue_node_query, node, question=question.model_dump(mode="json"))
    return await send_query(
        enqueue, timeout_seconds or NODE_TIMEOUT, f"The node '{node}' did not answer in time.", ErrorCode.NODE_SILENT
    )


async def send_query(
    enqueue: Callable[..., None],
    timeout_seconds: float,
    silence: str,
    code: ErrorCode,
    *,
    hint: str = BUSY,
    person: User | None = None,
    still: Callable[[], None] | None = None,
) -> Any:
    """Call `enqueue(reply_to=channel)` with a new private channel, and return the answer that arrives on it.

    Raises Unavailable with the text `silence`, `code` and `hint` if nothing arrives within `timeout_seconds`. Whenever
    the rights of `person` change before, `still` is called to check them; an exception that it raises ends the waiting.
    """
    layer = get_channel_layer()
    reply_to = await layer.new_channel()
    try:
        if person is not None:
            await layer.group_add(person_group(person.pk), reply_to)
        await sync_to_async(enqueue, thread_sensitive=False)(reply_to=reply_to)
        async with asyncio.timeout(timeout_seconds):
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
