"""draft_from(): let the agent worker draft a text, and wait a few seconds for the draft."""

import time
import uuid
from functools import partial
from typing import Final

from asgiref.sync import sync_to_async
from django.core.cache import cache
from redis.exceptions import RedisError

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import SiteError
from agentsite.heartbeat import heartbeat_key
from sessions_app.models import Session
from sessions_app.queries.live import send_query
from sessions_app.queueing import enqueue_draft
from sessions_app.repositories.drafts.text import Draft, Material, draft_request, plain_draft, read_answer

MODEL_SECONDS: Final = 8.0
WAIT_SECONDS: Final = 10.0
WAIT_WITHOUT_WORKER_SECONDS: Final = 2.0  # a worker that has just started has no heartbeat yet
QUEUE_SECONDS: Final = 30.0  # after which a worker drops a request; more than `WAIT_SECONDS`, as clocks may differ
SILENCE: Final = "No agent worker drafted the text in time."
EMPTY: Final = "The model's answer was empty."


async def draft_from(session: Session, material: Material, *, payer_id: uuid.UUID | None) -> Draft:
    """Return the draft that the agent named `draft` writes, billed to a person. If no model answers, return a draft
    that was made without a model; its `problem` says why."""
    plain = partial(plain_draft, material, session_title=session.title)
    if payer_id is None:
        return plain("Nobody is there to whom the model call could be billed.")
    enqueue = partial(
        enqueue_draft,
        session.pk,
        payer_id=payer_id,
        text=draft_request(material, session_title=session.title),
        until=time.time() + QUEUE_SECONDS,
    )
    seconds = WAIT_SECONDS if await sync_to_async(_has_worker)() else WAIT_WITHOUT_WORKER_SECONDS
    try:
        answer = await send_query(enqueue, seconds, SILENCE, ErrorCode.UNAVAILABLE)
    except SiteError as error:
        return plain(error.message)
    if problem := answer.get("problem"):
        return plain(problem)
    return read_answer(answer["text"], material) or plain(EMPTY)


def _has_worker() -> bool:
    try:
        return cache.get(heartbeat_key("agent")) is not None
    except (OSError, RedisError):
        return False
