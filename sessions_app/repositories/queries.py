"""Send queries about forges to the door, the only process that can decrypt credentials, and wait for the answer with a
deadline."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from asgiref.sync import sync_to_async
from django.core.cache import cache
from redis.exceptions import RedisError

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, SiteError, Stale, TooMany, Unavailable
from agentsite.heartbeat import heartbeat_key
from sessions_app.queries.live import send_query
from sessions_app.queueing import enqueue_forge_query
from sessions_app.repositories.forges.port import ForgeError, Problem
from sessions_app.repositories.questions import ForgeQuestion

TIMEOUT: Final = 40.0  # seconds; a forge has 15 for each of a few requests
TIMEOUT_WITHOUT_DOOR: Final = 5.0  # seconds; a door that has just started has no heartbeat yet
NO_DOOR: Final = "Nobody asked the forge in time: no door answers."
HINT: Final = "The door may be starting or busy. Nothing is lost; try again in a few seconds."

_ERRORS: Final[Mapping[Problem, tuple[type[SiteError], ErrorCode]]] = {
    "credential": (Stale, ErrorCode.CONNECTION_FAILED),
    "right": (Stale, ErrorCode.FORGE_REFUSED),
    "refused": (Stale, ErrorCode.FORGE_REFUSED),
    "unpushed": (Stale, ErrorCode.BRANCH_NOT_PUSHED),
    "missing": (BadInput, ErrorCode.REPOSITORY_NOT_FOUND),
    "busy": (Stale, ErrorCode.FORGE_REFUSED),
    "limit": (TooMany, ErrorCode.TOO_MANY_REQUESTS),
    "address": (Unavailable, ErrorCode.FORGE_UNREACHABLE),
    "broken": (Unavailable, ErrorCode.FORGE_UNREACHABLE),
}


async def ask_forge(question: ForgeQuestion) -> Any:
    """Send a request about a forge to the door, and return the answer. Raises a SiteError with the message of the
    forge, or Unavailable if no door answers."""
    seconds = TIMEOUT if await sync_to_async(_has_door)() else TIMEOUT_WITHOUT_DOOR
    enqueue = partial(enqueue_forge_query, question=question.model_dump(mode="json"))
    answer = await send_query(enqueue, seconds, NO_DOOR, ErrorCode.DOOR_SILENT, hint=HINT)
    if "problem" in answer:
        raise site_error(ForgeError(answer["problem"], answer["message"], answer["hint"]))
    return answer["found"]


def site_error(error: ForgeError) -> SiteError:
    """Convert an error of a forge to the error that the API returns."""
    make, code = _ERRORS[error.problem]
    return make(error.message, code=code, hint=error.hint or None)


def _has_door() -> bool:
    try:
        return cache.get(heartbeat_key("door")) is not None
    except (OSError, RedisError):
        return False
