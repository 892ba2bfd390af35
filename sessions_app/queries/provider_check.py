"""Request a provider's test from the agent worker, the only process that can decrypt the provider's key."""

import uuid
from functools import partial
from typing import Any, Final

from agentsite.base.error_codes import ErrorCode
from sessions_app.queries.live import send_query
from sessions_app.queueing import enqueue_provider_check, enqueue_sign_in

SIGN_IN_TIMEOUT: Final = 45.0  # seconds
CHECK_TIMEOUT: Final = 75.0  # seconds: the worker may have to load litellm first


async def request_check(provider_id: uuid.UUID, model: str) -> Any:
    """Return the report {ok, checks: [{name, ok, message, hint}], models}. Raises Unavailable if no worker answers
    in time."""
    enqueue = partial(enqueue_provider_check, provider_id, model=model)
    return await send_query(
        enqueue,
        CHECK_TIMEOUT,
        "No agent worker tested the provider in time.",
        ErrorCode.PROVIDER_CHECK_SILENT,
        hint="The workers may be busy or down. Nothing has changed; try again in a minute.",
    )


async def request_sign_in(provider_id: uuid.UUID, *, begin: bool, actor_id: uuid.UUID) -> Any:
    """Return the state of a sign-in, as in `ProviderSignIn`. Raises Unavailable if no worker answers in time."""
    return await send_query(
        partial(enqueue_sign_in, provider_id, begin=begin, actor_id=actor_id),
        SIGN_IN_TIMEOUT,
        "No agent worker answered in time.",
        ErrorCode.PROVIDER_CHECK_SILENT,
        hint="The workers may be busy or down. Nothing has changed; try again in a minute.",
    )
